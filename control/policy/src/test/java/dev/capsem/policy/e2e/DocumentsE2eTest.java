package dev.capsem.policy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.policy.Capgate;
import dev.capsem.policy.FixtureManifests;
import dev.capsem.policy.ir.Policy;
import dev.capsem.policy.lowering.LoweringOptions;
import dev.capsem.policy.lowering.LoweringTarget;
import dev.capsem.policy.manifest.Manifest;
import dev.capsem.source.json.JsonReader;
import dev.capsem.source.json.JsonReading;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.json.JsonWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Documents for other tools, read by those tools.
@Tag("sockets")
class DocumentsE2eTest {
    @TempDir
    private Path directory = Path.of("/");

    static List<String> fixtures() {
        return FixtureManifests.names();
    }

    private static String raw(LoweringTarget target, Policy policy, LoweringOptions options) {
        return target.lower(policy, options.permissive()).raw();
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void systemdReadsTheDropIn(String fixture) throws IOException {
        String analyze = RealProgram.require("systemd-analyze");
        Path unit = Files.writeString(directory.resolve("capgate-test.service"), "[Service]\nExecStart=/bin/true\n");
        Path folder = Files.createDirectories(directory.resolve("capgate-test.service.d"));
        Files.writeString(
                folder.resolve("capgate.conf"),
                raw(LoweringTarget.SYSTEMD, FixtureManifests.compile(fixture).policy(), LoweringOptions.DEFAULT));

        RealProgram.Outcome outcome = RealProgram.run(List.of(analyze, "verify", unit.toString()));

        assertThat(outcome.exit()).as(outcome.output()).isZero();
        assertThat(outcome.output()).doesNotContain("capgate.conf");
    }

    @Test
    void runcRunsTheBundle() throws IOException {
        String runc = RealProgram.require("runc");
        RealProgram.requireRoot();
        Path workspace = Files.createDirectories(directory.resolve("workspace"));
        Files.createDirectories(directory.resolve("bundle/rootfs"));
        Policy policy = Capgate.compile(Manifest.of(
                "s",
                "1",
                Manifest.Tool.of("run", "fs:read:/usr/**", "fs:read:/bin/**", "fs:read:/lib/**", "fs:read:/lib64/**"),
                Manifest.Tool.of("work", "fs:write:" + workspace + "/**")));
        String script = "echo x > " + workspace + "/yes; echo x > /usr/no; cat /proc/net/dev;"
                + " ls /etc; unshare -n true || echo no-namespaces; env";
        Files.writeString(
                directory.resolve("bundle/config.json"),
                raw(LoweringTarget.OCI, policy, LoweringOptions.DEFAULT.withCommand(List.of("/bin/sh", "-c", script))));

        RealProgram.Outcome outcome = RealProgram.run(
                List.of(
                        runc,
                        "--root",
                        directory.resolve("state").toString(),
                        "run",
                        "-b",
                        directory.resolve("bundle").toString(),
                        "capgate-e2e-" + ProcessHandle.current().pid()),
                Map.of("HOST_SECRET", "leaked"));

        assertThat(outcome.output())
                .contains("Read-only file system", "no-namespaces", "/etc': No such file")
                .doesNotContain("eth0", "leaked");
        assertThat(workspace.resolve("yes")).exists();
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void kubectlReadsThePodWithoutLosingAField(String fixture) throws IOException {
        String kubectl = RealProgram.require("kubectl");
        JsonValue config = json(
                raw(LoweringTarget.KUBERNETES, FixtureManifests.compile(fixture).policy(), LoweringOptions.DEFAULT));
        JsonValue pod = ((JsonValue.Items) member(config, "items")).list().getFirst();
        Path file = Files.writeString(directory.resolve("pod.json"), JsonWriter.pretty(pod));

        // A local edit makes kubectl decode into its own Pod type and print that: unknown fields would be gone.
        RealProgram.Outcome outcome = RealProgram.run(List.of(
                kubectl, "set", "image", "--local", "-f", file.toString(), "server=example.invalid/x:1", "-o", "json"));

        assertThat(outcome.exit()).as(outcome.output()).isZero();
        JsonValue decoded = json(outcome.output());
        assertThat(missing(member(pod, "spec"), member(decoded, "spec"), "spec"))
                .isEmpty();
    }

    @Test
    void nodeHoldsAWorkerToItsLimits() {
        String node = RealProgram.require("node");
        String options = raw(
                LoweringTarget.WORKER,
                FixtureManifests.compile("empty").policy(),
                LoweringOptions.DEFAULT.with(new LoweringOptions.WorkerLimits(16, 4, 16, 4)));
        String script = "const {Worker} = require('node:worker_threads');"
                + "const w = new Worker('const a=[]; for(;;) a.push(new Array(1e5).fill({}))',"
                + " {eval: true, env: {}, ...(" + options + ")});"
                + "w.on('error', e => console.log(e.code)); w.on('exit', () => console.log('host lives'));";

        RealProgram.Outcome outcome = RealProgram.run(List.of(node, "-e", script));

        assertThat(outcome.output()).contains("ERR_WORKER_OUT_OF_MEMORY", "host lives");
    }

    @Test
    void denoAllowsWhatIsDeclaredOnly() throws IOException {
        String deno = RealProgram.requireClient("deno", "@deno/linux-x64-glibc/deno");
        Path allowed = Files.writeString(directory.resolve("allowed"), "yes");
        Path program = Files.writeString(
                directory.resolve("program.js"),
                "console.log(Deno.readTextFileSync('" + allowed + "')); Deno.readTextFileSync('/etc/passwd');");
        Policy policy = Capgate.compile(Manifest.of("s", "1", Manifest.Tool.of("t", "fs:read:" + allowed)));
        List<String> command = new ArrayList<>(List.of(deno, "run"));
        ((JsonValue.Items) json(raw(LoweringTarget.DENO, policy, LoweringOptions.DEFAULT)))
                .list()
                .forEach(flag -> command.add(((JsonValue.Text) flag).value()));
        command.add(program.toString());

        RealProgram.Outcome outcome = RealProgram.run(command);

        assertThat(outcome.output()).contains("yes", "NotCapable");
        assertThat(outcome.exit()).isNotZero();
    }

    private static JsonValue json(String text) {
        return ((JsonReading.Parsed) JsonReader.read(text)).document().root();
    }

    private static JsonValue member(JsonValue object, String name) {
        return ((JsonValue.Members) object).get(name).orElseThrow();
    }

    /// Paths of what is in `left` and not, or not equally, in `right`; values the edit changed are not looked at.
    private static List<String> missing(JsonValue left, JsonValue right, String path) {
        List<String> lost = new ArrayList<>();
        if (left instanceof JsonValue.Members wanted && right instanceof JsonValue.Members found) {
            wanted.map().forEach((name, value) -> {
                if (found.get(name).isPresent()) {
                    lost.addAll(missing(value, found.get(name).get(), path + "." + name));
                } else if (!isEmpty(value)) {
                    lost.add(path + "." + name);
                }
            });
        } else if (left instanceof JsonValue.Items wanted && right instanceof JsonValue.Items found) {
            for (int i = 0; i < wanted.list().size(); i++) {
                lost.addAll(missing(wanted.list().get(i), found.list().get(i), path + "[" + i + "]"));
            }
        }
        return lost;
    }

    /// Kubernetes does not print fields at their zero value.
    private static boolean isEmpty(JsonValue value) {
        return switch (value) {
            case JsonValue.Items items -> items.list().isEmpty();
            case JsonValue.Members members -> members.map().isEmpty();
            case JsonValue.Text text -> text.value().isEmpty();
            case JsonValue.Bool bool -> !bool.value();
            case JsonValue.Null ignored -> true;
            case JsonValue.Numeral number -> number.spelling().equals("0");
        };
    }
}
