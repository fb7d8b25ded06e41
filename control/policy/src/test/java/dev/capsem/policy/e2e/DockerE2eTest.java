package dev.capsem.policy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.capsem.policy.Capgate;
import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.ir.Policy;
import dev.capsem.policy.lowering.LoweringOptions;
import dev.capsem.policy.lowering.LoweringTarget;
import dev.capsem.policy.manifest.Manifest;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.json.JsonWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The flags under a real Docker engine, one that runs already or one started here with an image that holds nothing.
@Tag("sockets")
class DockerE2eTest {
    private static final String IMAGE = "capgate-e2e-empty:1";

    @TempDir
    private static Path engineDirectory = Path.of("/");

    private static Optional<Process> engine = Optional.empty();
    private static List<String> docker = List.of();

    @TempDir
    private Path directory = Path.of("/");

    @BeforeAll
    static void findOrStartAnEngine() throws IOException, InterruptedException {
        String client = RealProgram.require("docker");
        docker = List.of(client);
        if (!answers()) {
            String daemon = RealProgram.require("dockerd");
            RealProgram.requireRoot();
            docker = List.of(client, "-H", "unix://" + engineDirectory.resolve("d.sock"));
            engine = Optional.of(RealProgram.start(
                    List.of(
                            daemon,
                            "--data-root=" + engineDirectory.resolve("data"),
                            "--exec-root=" + engineDirectory.resolve("exec"),
                            "--pidfile=" + engineDirectory.resolve("d.pid"),
                            "--host=unix://" + engineDirectory.resolve("d.sock"),
                            "--bridge=none",
                            "--iptables=false",
                            "--ip6tables=false",
                            "--storage-driver=vfs"),
                    engineDirectory.resolve("d.log")));
            for (int i = 0; i < 150 && engine.get().isAlive() && !answers(); i++) {
                Thread.sleep(200);
            }
        }
        assumeTrue(answers(), "skipped: no Docker engine answers and none could be started on this machine");
        Path empty = engineDirectory.resolve("empty.tar");
        Files.write(empty, new byte[10_240]);
        RealProgram.Outcome imported = RealProgram.run(RealProgram.command(docker, "import", empty.toString(), IMAGE));
        assertThat(imported.exit()).as(imported.output()).isZero();
    }

    @AfterAll
    static void stopTheEngine() throws InterruptedException {
        if (engine.isPresent()) {
            RealProgram.stop(engine.get());
        } else if (!docker.isEmpty()) {
            RealProgram.run(RealProgram.command(docker, "rmi", IMAGE));
        }
    }

    private static boolean answers() {
        return RealProgram.run(RealProgram.command(docker, "version")).exit() == 0;
    }

    /// The image is empty: programs come from directories of the host, granted like any other.
    private static Policy policy(String... capabilities) {
        List<Manifest.Tool> tools = new ArrayList<>();
        for (String folder : List.of("/usr", "/bin", "/lib", "/lib64")) {
            tools.add(Manifest.Tool.of(folder, "fs:read:" + folder + "/**"));
        }
        tools.add(Manifest.Tool.of("t", capabilities));
        return Capgate.compile(Manifest.of("s", "1", tools.toArray(Manifest.Tool[]::new)));
    }

    private static RealProgram.Outcome inside(Policy policy, List<String> extra, String script) {
        Artifact.SandboxArtifact artifact = Capgate.lowerToDocker(policy);
        List<String> command = new ArrayList<>(docker);
        command.add("run");
        command.addAll(artifact.argv());
        command.addAll(extra);
        command.addAll(List.of(IMAGE, "/bin/sh", "-c", script));
        return RealProgram.run(command, Map.of("API_TOKEN", "injected", "HOST_SECRET", "leaked"));
    }

    @Test
    void grantsWhatIsDeclaredAndNothingElse() throws IOException {
        Path workspace = Files.createDirectories(directory.resolve("workspace"));
        Files.createDirectories(workspace.resolve("src"));
        Files.writeString(workspace.resolve("readme"), "hello from the workspace");
        Policy policy =
                policy("fs:read:" + workspace + "/**", "fs:write:" + workspace + "/src", "env:inject:API_TOKEN");

        RealProgram.Outcome outcome = inside(
                policy,
                List.of(),
                "cat " + workspace + "/readme; echo; echo x > " + workspace + "/no; echo x > " + workspace
                        + "/src/yes; echo x > /no; echo token=$API_TOKEN; echo secret=$HOST_SECRET;"
                        + " cat /proc/net/dev; grep Cap /proc/self/status; grep NoNewPrivs /proc/self/status");

        assertThat(outcome.output())
                .contains("hello from the workspace", "token=injected", "secret=\n", "NoNewPrivs:\t1")
                .contains("CapEff:\t0000000000000000", "CapBnd:\t0000000000000000")
                .contains("Read-only file system")
                .doesNotContain("eth0");
        assertThat(workspace.resolve("no")).doesNotExist();
        assertThat(workspace.resolve("src/yes")).exists();
    }

    @Test
    void takesTheDerivedSeccompProfile() throws IOException {
        Policy policy = policy("clock:system");
        JsonValue profile = ((Artifact.DocumentArtifact)
                        LoweringTarget.SECCOMP.lower(policy, LoweringOptions.DEFAULT.permissive()))
                .config();
        Path file = Files.writeString(directory.resolve("seccomp.json"), JsonWriter.pretty(profile));

        RealProgram.Outcome outcome = inside(
                policy,
                List.of("--security-opt", "seccomp=" + file),
                "echo works; grep Seccomp: /proc/self/status; unshare -U true || echo no-namespaces");

        assertThat(outcome.output()).contains("works", "Seccomp:\t2", "no-namespaces");
    }
}
