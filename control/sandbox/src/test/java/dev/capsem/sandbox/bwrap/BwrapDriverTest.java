package dev.capsem.sandbox.bwrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.capsem.sandbox.RunningSandbox;
import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.sandbox.SandboxDriverContract;
import dev.capsem.sandbox.SandboxHandle;
import dev.capsem.sandbox.bwrap.io.ProcessTable;
import dev.capsem.wire.SandboxSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The driver with real sandboxes, as whoever runs the test.
@Tag("e2e")
class BwrapDriverTest extends SandboxDriverContract {
    private static final Path BUILD =
            Path.of("../../guest/agent/build").toAbsolutePath().normalize();

    /// One template for all tests: making it is the slow part.
    @TempDir
    private static Path templates;

    private final ProcessTable processes = new ProcessTable(Path.of("/proc"));
    private final List<GuestUnderTest> guests = new ArrayList<>();
    private final BwrapDriver driver = new BwrapDriver(files());

    @BeforeAll
    static void needsTheGuestPrograms() {
        assumeTrue(
                Files.isExecutable(BUILD.resolve("capsem-agent")) && Files.isExecutable(BUILD.resolve("capsem-launch")),
                "guest/agent is not built: run make -C guest/agent");
    }

    @AfterAll
    static void removeTemplates() {
        new BwrapDriver(files()).removeSession(templates);
    }

    @AfterEach
    void closeGuests() throws IOException {
        for (GuestUnderTest guest : guests) {
            guest.close();
        }
    }

    @Test
    void aFrozenGuestDoesNothingAndAThawedOneGoesOn() throws Exception {
        RunningSandbox sandbox = launch("lab");
        guest().run("(while :; do echo tick >> /root/ticks; sleep 0.01; done) > /dev/null 2>&1 & sleep 0.1");
        Path ticks = directory.resolve("lab/workspace/ticks");

        sandbox.freeze();
        long frozen = Files.size(ticks);
        Thread.sleep(300);

        assertThat(frozen).isPositive();
        assertThat(ticks).hasSize(frozen);
        sandbox.thaw();
        assertThat(guest().run("sleep 0.2; echo awake").output()).isEqualTo("awake\n");
        assertThat(Files.size(ticks)).isGreaterThan(frozen);
    }

    /// What a bwrap that is killed before it has written its child's id maps leaves behind.
    @Test
    void aStartThatWasKilledLeavesNothing() throws Exception {
        Path session = Files.createDirectories(directory.resolve("killed"));
        String block = "exec 8>/dev/null; exec 9<>\"$0\"; exec bwrap --unshare-user --unshare-pid --info-fd 8"
                + " --userns-block-fd 9 --bind / / true";
        Path pipe = directory.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Process bwrap = new ProcessBuilder("sh", "-c", block, pipe.toString())
                .redirectErrorStream(true)
                .redirectOutput(session.resolve("serial.log").toFile())
                .start();
        List<ProcessHandle> children = List.of();
        for (int attempt = 0; attempt < 3_000 && children.isEmpty(); attempt++) {
            Thread.sleep(10);
            children = bwrap.children().toList();
        }
        assertThat(children).hasSize(1);
        ProcessHandle child = children.getFirst();
        driver.endAbandoned(session);
        assertThat(child.isAlive()).as("one that is being started").isTrue();
        assertThat(bwrap.destroyForcibly().waitFor()).isNotZero();

        driver.endAbandoned(directory.resolve("another"));
        assertThat(child.isAlive()).as("somebody else's").isTrue();
        driver.endAbandoned(session);

        for (int attempt = 0; attempt < 3_000 && child.isAlive(); attempt++) {
            Thread.sleep(10);
        }
        assertThat(child.isAlive()).isFalse();
    }

    @Test
    void aForkSeesTheLayersOfItsOrigin() throws IOException {
        RunningSandbox origin = launch("origin");
        guest().run("echo work > /root/file; echo tool > /usr/local/bin/tool; rm /usr/bin/yes; mkdir -m 0 /root/closed;"
                + " echo 'mine' > /data");
        origin.freeze();
        Path copy = Files.createDirectories(directory.resolve("copy"));
        driver.copyState(directory.resolve("origin"), copy);

        launch("copy");

        assertThat(guest().run(
                                "cat /root/file /usr/local/bin/tool /data; ls /usr/bin/yes 2>&1 | grep -c 'No such'; hostname")
                        .output())
                .isEqualTo("work\ntool\nmine\n1\ncopy\n");
        driver.removeSession(directory.resolve("origin"));
        driver.removeSession(copy);
        assertThat(copy).doesNotExist();
    }

    @Test
    void aProjectIsCopiedOnWrite() throws IOException {
        Path project = Files.createDirectory(directory.resolve("project"));
        Files.writeString(project.resolve("file"), "outside");

        launchWith(project, SandboxSpec.Project.Access.COPY_ON_WRITE);
        GuestUnderTest.Outcome outcome =
                guest().run("cd /root/app && cat file && echo inside > file && echo new > added && cat file");

        assertThat(outcome.output()).isEqualTo("outsideinside\n");
        assertThat(project.resolve("file")).hasContent("outside");
        assertThat(project.resolve("added")).doesNotExist();
        assertThat(directory.resolve("lab/up/project/added")).exists();
    }

    @Test
    void aProjectBoundForWritingIsWritten() throws IOException {
        Path project = Files.createDirectory(directory.resolve("project"));
        Files.writeString(project.resolve("file"), "outside");

        launchWith(project, SandboxSpec.Project.Access.READ_WRITE);
        guest().run("echo inside > /root/app/file; echo new > /root/app/added");

        assertThat(project.resolve("file")).hasContent("inside\n");
        assertThat(Files.getOwner(project.resolve("added"))).isEqualTo(Files.getOwner(project));
    }

    @Test
    void limitsHold() throws IOException {
        launch("lab");

        GuestUnderTest.Outcome memory = guest().run("python3 -c 'print(len(bytearray(400 << 20)))' 2>&1");
        GuestUnderTest.Outcome disk = guest().run("dd if=/dev/zero of=/tmp/fill bs=1M count=300 2>&1; rm /tmp/fill");
        GuestUnderTest.Outcome processes = guest().run("for i in $(seq 300); do sleep 1 > /dev/null 2>&1 & done");

        assertThat(memory.code()).isNotZero();
        assertThat(memory.output()).doesNotContain(Integer.toString(400 << 20));
        assertThat(disk.output()).contains("No space left");
        assertThat(processes.output()).contains("Cannot fork");
    }

    @Test
    void theMemoryLimitIsWhatTheAbilitiesSay() throws IOException {
        launch("lab");

        String limit = guest().run("ulimit -d").output().strip();

        assertThat(limit)
                .isEqualTo(
                        switch (driver.abilities().memoryLimit()) {
                            case CGROUP -> "unlimited";
                            case RLIMIT -> Integer.toString(256 * 1024);
                        });
    }

    @Test
    void aMissingDirectoryIsNamedWithItsRemedy() throws Exception {
        SandboxSpec spec = spec("lab", Optional.empty());
        Files.delete(spec.runtimeDir().resolve("vsock"));

        RunningSandbox sandbox = driver.launch(spec, spec.sessionDir().resolve("serial.log"));
        sandbox.exit().get(10, TimeUnit.SECONDS);

        assertThat(sandbox.launchProblem()).hasValueSatisfying(problem -> {
            assertThat(problem.cause()).contains("vsock").contains("No such file");
            assertThat(problem.remedy()).contains("bind the port sockets");
        });
    }

    /// A guest that was here before left a link where the project belongs; the launcher must not follow it out
    /// of the workspace.
    @Test
    void aLinkInPlaceOfTheProjectIsRefused() throws Exception {
        Path project = Files.createDirectory(directory.resolve("project"));
        SandboxSpec spec = spec(
                "lab", Optional.of(new SandboxSpec.Project(project, "app", SandboxSpec.Project.Access.COPY_ON_WRITE)));
        Files.createDirectories(spec.sessionDir().resolve("workspace"));
        Files.createSymbolicLink(spec.sessionDir().resolve("workspace/app"), Path.of("/etc"));
        bindPorts(spec);

        RunningSandbox sandbox = driver.launch(spec, spec.sessionDir().resolve("serial.log"));
        sandbox.exit().get(10, TimeUnit.SECONDS);

        assertThat(sandbox.launchProblem())
                .hasValueSatisfying(problem -> assertThat(problem.cause()).contains("mount point of the project"));
    }

    @Override
    protected SandboxDriver driver() {
        return driver;
    }

    @Override
    protected void bindPorts(SandboxSpec spec) throws IOException {
        guests.add(GuestUnderTest.bind(spec.runtimeDir().resolve("vsock")));
    }

    @Override
    protected void awaitStarted(RunningSandbox sandbox) throws IOException {
        guest().boot("lab");
    }

    @Override
    protected boolean isAlive(SandboxHandle handle) {
        return processes.isAlive(handle.pid(), handle.startTicks())
                || Resources.agentOf(handle)
                        .filter(agent -> processes.isAlive(agent.pid(), agent.startTicks()))
                        .isPresent();
    }

    private GuestUnderTest guest() {
        return guests.getLast();
    }

    private void launchWith(Path project, SandboxSpec.Project.Access access) throws IOException {
        SandboxSpec spec = spec("lab", Optional.of(new SandboxSpec.Project(project, "app", access)));
        Files.createDirectories(spec.sessionDir().resolve("workspace/app"));
        bindPorts(spec);
        RunningSandbox sandbox = driver.launch(spec, spec.sessionDir().resolve("serial.log"));
        destroyLater(sandbox);
        awaitStarted(sandbox);
    }

    private static BwrapFiles files() {
        return new BwrapFiles(
                BUILD.resolve("capsem-launch"),
                BUILD.resolve("capsem-agent"),
                Path.of("bwrap"),
                templates,
                templates.resolve("no-ca.crt"));
    }
}
