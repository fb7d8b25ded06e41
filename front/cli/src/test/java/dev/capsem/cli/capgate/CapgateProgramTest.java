package dev.capsem.cli.capgate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CapgateProgramTest {
    private static final String MANIFEST =
            "{\"name\":\"s\",\"version\":\"1\",\"tools\":[{\"name\":\"t\",\"capabilities\":[\"fs:read:/workspace/**\"]}]}";

    @TempDir
    private Path directory = Path.of("/");

    private String manifest = "";

    private record Run(int exit, String out, String err) {}

    @BeforeEach
    void writeManifest() {
        manifest = file("manifest.json", MANIFEST);
    }

    private String file(String name, String text) {
        try {
            return Files.writeString(directory.resolve(name), text).toString();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Run run(String input, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exit = new CapgateProgram(
                        new ManifestInput(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8))),
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8))
                .run(List.of(args));
        return new Run(exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    @Test
    void compilesAFileAndStandardInputAlike() {
        Run fromFile = run("", "compile", manifest, "--target", "docker");
        Run fromInput = run(MANIFEST, "compile", "-", "--target=docker");

        assertThat(fromFile.exit()).isZero();
        assertThat(fromFile.out())
                .isEqualTo(fromInput.out())
                .startsWith("{\"argv\":[\"--rm\"")
                .endsWith("}\n");
        assertThat(fromFile.err()).isEmpty();
    }

    @Test
    void defaultsToBwrapAndSquid() {
        assertThat(run(MANIFEST, "compile", "-").out()).contains("--unshare-uts");
        assertThat(run(MANIFEST, "compile", "-", "--target", "egress", "--permissive")
                        .out())
                .contains("\"target\":\"squid\"");
    }

    @Test
    void printsUsageWithoutACommandAndHelpOverEverything() {
        assertThat(run("").exit()).isEqualTo(1);
        assertThat(run("").out()).contains("usage:");
        assertThat(run("", "compile", "--nonsense", "-h").exit()).isZero();
        assertThat(run("", "--help").out()).contains("capgate compile");
    }

    @Test
    void answersUnknownArgumentsWithTwo() {
        assertThat(run("", "frobnicate").exit()).isEqualTo(2);
        assertThat(run("", "compile").exit()).isEqualTo(2);
        assertThat(run("", "compile", "--foo", manifest).exit()).isEqualTo(2);
        assertThat(run("", "compile", manifest, "--target").exit()).isEqualTo(2);
        assertThat(run("", "compile", manifest, "--target", "vm").exit()).isEqualTo(2);
        assertThat(run("", "compile", manifest, "--egress-target", "pf").exit()).isEqualTo(2);
        assertThat(run("", "compile", manifest, "extra").exit()).isEqualTo(2);
        assertThat(run("", "compile", manifest, "--pretty=yes").exit()).isEqualTo(2);
        assertThat(run("", "compile", manifest, "--merge", "no").exit()).isEqualTo(2);
        assertThat(run("", "check", manifest, "--pretty").exit()).isEqualTo(2);
        assertThat(run("{}", "compile", "-", "--target", "vm").exit()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "nonsense", "{\"a\":1}x", "\"\\ud800\""})
    void answersUnreadableInputWithThree(String input) {
        Run run = run(input, "compile", "-");

        assertThat(run.exit()).isEqualTo(3);
        assertThat(run.out()).isEmpty();
        assertThat(run("", "compile", "/nonexistent/manifest.json").exit()).isEqualTo(3);
        assertThat(run("", "compile", directory.toString()).exit()).isEqualTo(3);
    }

    @Test
    void answersACompilationErrorWithFourAndAllProblems() {
        String bad = file(
                "bad.json",
                "{\"name\":\"s\",\"version\":\"1\",\n\"tools\":[{\"name\":\"t\",\"capabilities\":[\"fs:read:x\",\"gpu:0\"]}]}");

        Run run = run("", "compile", bad);

        assertThat(run.exit()).isEqualTo(4);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines().toList().getFirst()).startsWith("capgate: CAP_FS_RELATIVE: [CAP_FS_RELATIVE] ");
        assertThat(run.err())
                .contains(bad + ":2:38: /tools/0/capabilities/0: CAP_FS_RELATIVE")
                .contains("/tools/0/capabilities/1: CAP_UNKNOWN_KIND");
    }

    @Test
    void failsForAKindTheTargetCannotLowerUnlessPermissive() {
        assertThat(run("", "compile", manifest, "--target", "egress").exit()).isEqualTo(4);
        assertThat(run("", "compile", manifest, "--target", "egress").err()).contains("ADAPTER_UNSUPPORTED");
        assertThat(run("", "compile", manifest, "--target", "egress", "--permissive")
                        .exit())
                .isZero();
    }

    @Test
    void bindsParametersFromTheCommandLine() {
        String text = "{\"name\":\"s\",\"version\":\"1\",\"parameters\":{\"root\":{\"type\":\"path\"}},"
                + "\"tools\":[{\"name\":\"t\",\"capabilities\":[\"fs:read:${root}/**\"]}]}";

        assertThat(run(text, "compile", "-", "--param", "root=/data").out())
                .contains("\"--ro-bind\",\"/data\",\"/data\"");
        assertThat(run(text, "compile", "-").exit()).isEqualTo(4);
        assertThat(run(text, "compile", "-", "--param", "root").exit()).isEqualTo(2);
    }

    @Test
    void failsOnAssertionsNoValidatorRecognises() {
        String text =
                "{\"name\":\"s\",\"version\":\"1\",\"tools\":[{\"name\":\"t\",\"capabilities\":[\"assert:a.b:x\"]}]}";
        String known = file("known.json", "[\"a.*\"]");
        String other = file("other.json", "[\"c\"]");

        assertThat(run(text, "compile", "-").exit()).isZero();
        assertThat(run(text, "compile", "-", "--validators", known).exit()).isZero();
        assertThat(run(text, "compile", "-", "--validators", other).exit()).isEqualTo(4);
        assertThat(run(text, "compile", "-", "--validators", other).err()).contains("ASSERT_UNRECOGNIZED");
        assertThat(run(text, "compile", "-", "--validators", manifest).exit()).isEqualTo(3);
    }

    @Test
    void showsPerToolArtifactsAndWhatTheUnionAdds() {
        String text = "{\"name\":\"s\",\"version\":\"1\",\"tools\":[{\"name\":\"a\",\"capabilities\":[\"fs:read:/a\"]},"
                + "{\"name\":\"b\",\"capabilities\":[\"fs:read:/b\"]}]}";

        Run run = run(text, "compile", "-", "--per-tool");

        assertThat(run.out()).startsWith("{\"union\":{\"argv\"").contains("\"unionAdds\":[\"fs:read:/b\"]");
    }

    @Test
    void checksAndExitsFiveOnAnError() {
        String risky = file("risky.json", MANIFEST.replace("/workspace/**", "/**"));

        assertThat(run("", "check", manifest).exit()).isZero();
        assertThat(run("", "check", manifest).out()).isEqualTo("no findings\n");
        assertThat(run("", "check", risky).exit()).isEqualTo(5);
        assertThat(run("", "check", risky).out()).contains("capgate/root-bind", risky + ":1:");
        assertThat(run("", "check", risky, "--format", "sarif").out()).contains("\"version\": \"2.1.0\"");
        assertThat(run("", "check", risky, "--format", "json").out()).contains("\"severity\": \"error\"");
    }

    @Test
    void diffsAndExitsFiveWhenWidened() {
        String wider = file("wider.json", MANIFEST.replace("fs:read", "fs:write"));

        assertThat(run("", "diff", manifest, manifest).exit()).isZero();
        assertThat(run("", "diff", wider, manifest).exit()).isZero();
        assertThat(run("", "diff", wider, manifest).out()).contains("narrowed");
        assertThat(run("", "diff", manifest, wider).exit()).isEqualTo(5);
        assertThat(run("", "diff", manifest, wider, "--format", "sarif").out()).contains("capgate/diff-widened");
        assertThat(run("", "diff", manifest).exit()).isEqualTo(2);
    }

    @Test
    void explainsEveryTargetOrTheOnesAskedFor() {
        assertThat(run("", "explain", manifest).out()).contains("fs:read:/workspace/**", "kubernetes", "deno");
        assertThat(run("", "explain", manifest, "--target", "bwrap", "--format", "markdown")
                        .out())
                .contains("| capability | bwrap |");
        assertThat(run("", "explain", manifest, "--format", "json").out()).contains("\"status\": \"enforced\"");
    }

    @Test
    void verifiesAnArtifactAgainstItsManifest() {
        for (String target : List.of("bwrap", "docker", "systemd", "kubernetes")) {
            String artifact = file(
                    target + ".json",
                    run("", "compile", manifest, "--target", target, "--pretty").out());
            String changed = file("changed.json", MANIFEST.replace("fs:read", "fs:write"));

            assertThat(run("", "verify", artifact, manifest).exit()).as(target).isZero();
            assertThat(run("", "verify", artifact, changed).exit()).as(target).isEqualTo(5);
            assertThat(run("", "verify", artifact, changed).out()).contains("'provenance' differs");
        }
    }

    @Test
    void printsOnlyTheConfigurationOnRequest() {
        Run run = run("", "compile", manifest, "--target", "egress", "--permissive", "--raw");

        assertThat(run.out()).startsWith("# capgate").endsWith("http_access deny all\n");
    }

    @Test
    void showsHostileNamesWithoutObeyingThem() {
        String text = "{\"name\":\"s\",\"version\":\"1\",\"tools\":[{\"name\":\"\\u001b[2J`\\nok\",\"capabilities\":"
                + "[\"fs:read:/**\"]}]}";

        Run check = run(text, "check", "-");
        Run refused = run(text.replace("fs:read:/**", "fs:read:\\u001b[2J"), "compile", "-");

        assertThat(check.out()).contains("\\u{1b}[2J'\\u{a}ok").doesNotContain("\u001b");
        assertThat(refused.exit()).isEqualTo(4);
        assertThat(refused.err()).doesNotContain("\u001b");
    }
}
