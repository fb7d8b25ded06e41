package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.capsem.e2e.Commands.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Start-up caches are noticed when they are missing or stale, and whoever cannot make one says why.
@Tag("e2e")
class StartUpCacheTest {
    private static final List<String> PROGRAMS = List.of(
            "capsem",
            "capgate",
            "capsem-mcp",
            "mitos-mcp",
            "capsem-service",
            "capsem-process",
            "capsem-mcp-aggregator",
            "capsem-mcp-builtin");

    @Test
    void cachesAreMadeAgainWhenMissingOrStale() throws IOException {
        try (FreshMachine machine = new FreshMachine(Account.USER).isBuilt()) {
            trained(machine);
            assertThat(isCurrent(machine)).isTrue();

            Files.setLastModifiedTime(
                    machine.dist().resolve("lib/cli.jar"),
                    FileTime.from(Instant.now().plusSeconds(60)));
            assertThat(isCurrent(machine)).as("a library changed").isFalse();

            trained(machine);
            machine.write("clone/dist/aot/made-for", conditions(machine).replace("runtime=", "runtime=1"));
            assertThat(isCurrent(machine)).as("the JDK changed").isFalse();

            machine.write("clone/dist/aot/made-for", conditions(machine).replace("dist=", "dist=/before"));
            assertThat(isCurrent(machine)).as("the programs moved").isFalse();

            trained(machine);
            Files.delete(machine.dist().resolve("aot/capsem-process.aot"));
            assertThat(isCurrent(machine)).as("one is gone").isFalse();
        }
    }

    @Test
    void knownReasonIsTriedAgainOnlyWhenItIsGone() throws IOException {
        try (FreshMachine machine = new FreshMachine(Account.USER).isBuilt()) {
            trained(machine);
            Files.delete(machine.dist().resolve("aot/capsem-process.aot"));
            machine.write("clone/dist/aot/missing", "capsem-process: no sandboxes yet\nsandboxes: cannot start\n");
            assertThat(isCurrent(machine)).as("still no bwrap").isTrue();

            launcher(machine, "exit 1");
            machine.has("bwrap");
            assertThat(isCurrent(machine)).as("bwrap, but no namespaces").isTrue();

            launcher(machine, "exit 0");
            assertThat(isCurrent(machine)).as("sandboxes start now").isFalse();
        }
    }

    @Test
    void cachesOfSomebodyElseAreLeftAlone() throws IOException {
        assumeTrue(Account.available().contains(Account.ROOT), "needs a second account");
        try (FreshMachine machine = new FreshMachine(Account.USER).isBuilt()) {
            trained(machine);
            Files.delete(machine.dist().resolve("aot/capsem.aot"));
            Files.setPosixFilePermissions(machine.dist().resolve("aot"), PosixFilePermissions.fromString("r-xr-xr-x"));

            assertThat(isCurrent(machine)).isTrue();
        }
    }

    @Test
    void noTrainingStepFailsInSilence() throws IOException {
        try (FreshMachine machine = new FreshMachine(Account.USER).isBuilt()) {
            Files.createDirectories(machine.dist().resolve("aot"));
            for (String program : PROGRAMS) {
                Path file = machine.dist().resolve("bin").resolve(program);
                Files.writeString(file, "#!/bin/sh\necho boom >&2\nexit 3\n");
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
            }

            Outcome trained =
                    machine.run(List.of("./scripts/train", machine.dist().toString()), Map.of());

            assertThat(trained.exitCode()).isEqualTo(1);
            String missing = Files.readString(machine.dist().resolve("aot/missing"));
            for (String program : PROGRAMS) {
                assertThat(missing).as(program).contains(program + ": ");
                assertThat(trained.stderr()).as(program).contains(program + ": ");
            }
            assertThat(missing).contains("boom").contains("sandboxes: cannot start");
            assertThat(trained.stderr()).contains("./capsem build");
        }
    }

    private static void trained(FreshMachine machine) {
        machine.write("clone/dist/lib/cli.jar", "");
        for (String program : PROGRAMS) {
            machine.write("clone/dist/aot/" + program + ".aot", "cache");
        }
        machine.write("clone/dist/aot/missing", "").write("clone/dist/aot/made-for", conditions(machine));
    }

    private static String conditions(FreshMachine machine) {
        Properties release = new Properties();
        try (var in = Files.newInputStream(Path.of(System.getProperty("java.home"), "release"))) {
            release.load(in);
        } catch (IOException unreadable) {
            throw new java.io.UncheckedIOException(unreadable);
        }
        return "dist=%s\njava=%s\nruntime=%s\n"
                .formatted(
                        machine.dist(),
                        System.getProperty("java.home"),
                        release.getProperty("JAVA_RUNTIME_VERSION").replace("\"", ""));
    }

    private static void launcher(FreshMachine machine, String script) throws IOException {
        Path file = machine.dist().resolve("libexec/capsem-launch");
        machine.write("clone/dist/libexec/capsem-launch", "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static boolean isCurrent(FreshMachine machine) {
        String ask = "root=" + machine.tree()
                + "; . ./scripts/toolchain.sh; caches_are_current && echo current || echo stale";
        Outcome answer = machine.run(List.of("sh", "-c", ask), Map.of());
        assertThat(answer.exitCode()).as(answer.stderr()).isZero();
        return answer.stdout().equals("current\n");
    }
}
