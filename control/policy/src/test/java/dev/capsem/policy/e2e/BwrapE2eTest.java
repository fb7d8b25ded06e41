package dev.capsem.policy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.policy.Capgate;
import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.manifest.Manifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The flags under real bubblewrap: what is granted works, and nothing else is there.
@Tag("sockets")
class BwrapE2eTest {
    @TempDir
    private Path directory = Path.of("/");

    private Path workspace = Path.of("/");
    private Path secret = Path.of("/");

    @BeforeEach
    void prepare() throws IOException {
        workspace = Files.createDirectories(directory.resolve("workspace"));
        Files.createDirectories(workspace.resolve("src"));
        Files.writeString(workspace.resolve("readme"), "hello from the workspace");
        Files.writeString(workspace.resolve("notes.txt"), "old");
        secret = Files.writeString(directory.resolve("secret"), "not for you");
    }

    private RealProgram.Outcome inside(String script, String... capabilities) {
        String bwrap = RealProgram.require("bwrap");
        Artifact.SandboxArtifact artifact =
                Capgate.lowerToBwrap(Capgate.compile(Manifest.of("s", "1", Manifest.Tool.of("t", capabilities))));
        List<String> command = new ArrayList<>(List.of(bwrap));
        command.addAll(artifact.argv());
        // The host's part: values for the names the artifact lists, and the program.
        artifact.envInjections().forEach(name -> command.addAll(List.of("--setenv", name, "injected")));
        command.addAll(List.of("/bin/sh", "-c", script));
        return RealProgram.run(command, Map.of("HOST_SECRET", "leaked"));
    }

    @Test
    void readsWhatIsGrantedAndFindsNothingElse() {
        RealProgram.Outcome outcome = inside(
                "cat " + workspace + "/readme; cat " + secret + "; ls /etc/passwd /home /var",
                "fs:read:" + workspace + "/**");

        assertThat(outcome.output())
                .contains("hello from the workspace")
                .doesNotContain("not for you")
                .contains("/etc/passwd': No such file")
                .contains("/home': No such file")
                .contains("/var': No such file");
    }

    @Test
    void refusesToWriteWhereReadOnly() {
        RealProgram.Outcome outcome =
                inside("echo x > " + workspace + "/new; echo status $?", "fs:read:" + workspace + "/**");

        assertThat(outcome.output()).contains("Read-only file system").doesNotContain("status 0");
        assertThat(workspace.resolve("new")).doesNotExist();
    }

    @Test
    void writesTheInnerGrantOnly() throws IOException {
        RealProgram.Outcome outcome = inside(
                "echo x > " + workspace + "/src/a; echo new > " + workspace + "/notes.txt; echo x > " + workspace
                        + "/other; true",
                "fs:read:" + workspace + "/**",
                "fs:write:" + workspace + "/src",
                "fs:write:" + workspace + "/notes.txt");

        assertThat(outcome.output()).contains("Read-only file system");
        assertThat(workspace.resolve("src/a")).exists();
        assertThat(Files.readString(workspace.resolve("notes.txt"))).isEqualTo("new\n");
        assertThat(workspace.resolve("other")).doesNotExist();
    }

    @Test
    void hasNoNetworkEvenWhereHostsAreDeclared() {
        RealProgram.Outcome outcome = inside("cat /proc/net/dev", "net:connect:api.github.com:443");

        assertThat(outcome.exit()).isZero();
        assertThat(outcome.output()
                        .lines()
                        .filter(line -> line.contains(":"))
                        .map(line -> line.strip().split(":")[0]))
                .containsExactly("lo");
    }

    @Test
    void clearsTheEnvironmentButForInjectedNames() {
        RealProgram.Outcome outcome = inside("exec /usr/bin/env", "env:inject:API_TOKEN");

        assertThat(outcome.output().lines().map(line -> line.substring(0, line.indexOf('='))))
                .containsExactlyInAnyOrder("PATH", "HOME", "PWD", "API_TOKEN");
        assertThat(outcome.output()).doesNotContain("leaked");
    }

    @Test
    void seesNoProcessOfTheHost() {
        RealProgram.Outcome outcome = inside("ls /proc | grep -c '^[0-9]'", "clock:system");

        assertThat(Integer.parseInt(outcome.output().strip())).isLessThan(10);
    }
}
