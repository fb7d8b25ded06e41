package dev.capsem.sandbox.bwrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.capsem.sandbox.LayerUse;
import dev.capsem.sandbox.MemoryUse;
import dev.capsem.sandbox.RunningSandbox;
import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.sandbox.SandboxDriverContract;
import dev.capsem.sandbox.SandboxHandle;
import dev.capsem.sandbox.bwrap.io.ProcessTable;
import dev.capsem.wire.SandboxSpec;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The driver with real sandboxes, as whoever runs the test.
@Tag("sockets")
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

    /// Such a file claims any size: the copy takes no more room than it does, and nobody reads it for hours.
    @Test
    void aForkKeepsTheHolesOfItsOrigin() throws IOException {
        RunningSandbox origin = launch("origin");
        guest().run("truncate -s 1T /root/hole; printf end >> /root/hole");
        origin.freeze();
        Path copy = Files.createDirectories(directory.resolve("copy"));

        long size = driver.copyState(directory.resolve("origin"), copy);

        assertThat(copy.resolve("workspace/hole")).hasSize((1L << 40) + 3);
        assertThat(size).as("what it takes, not what it claims").isLessThan(1L << 30);
        driver.removeSession(directory.resolve("origin"));
        driver.removeSession(copy);
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

    /// Under their own names, below a directory that the sandbox does not have, and in its fresh /tmp.
    @Test
    void namedPathsOfTheHostAreSeenAndNotWritten() throws IOException {
        Path tool = Files.createDirectories(directory.resolve("tool/bin"));
        Files.writeString(tool.resolve("hello"), "#!/bin/sh\necho hello from outside\n");
        Files.setPosixFilePermissions(tool.resolve("hello"), PosixFilePermissions.fromString("rwx------"));
        Path file = Files.writeString(directory.resolve("one"), "one file");
        var view = new SandboxSpec.View(
                List.of(
                        new SandboxSpec.Mount(directory.resolve("tool"), Path.of("/home/me/tool")),
                        new SandboxSpec.Mount(directory.resolve("tool"), Path.of("/tmp/me/tool")),
                        new SandboxSpec.Mount(file, Path.of("/root/.local/one"))),
                List.of());

        launch(withView(spec("lab", Optional.empty()), view));
        GuestUnderTest.Outcome seen = guest().run(
                        "/home/me/tool/bin/hello; /tmp/me/tool/bin/hello; cat /root/.local/one; touch /root/.local/mine && echo mine");
        GuestUnderTest.Outcome written = guest().run(
                        "for f in /home/me/tool/bin/hello /tmp/me/tool/new /root/.local/one; do echo x > $f || echo refused; done;"
                                + " rm -f /home/me/tool/bin/hello || echo refused; chmod 777 /root/.local/one || echo refused");

        assertThat(seen.output()).isEqualTo("hello from outside\nhello from outside\none filemine\n");
        assertThat(written.output().lines().filter("refused"::equals)).hasSize(5);
        assertThat(tool.resolve("hello")).content().contains("outside");
        assertThat(file).hasContent("one file");
    }

    /// A read-only bind would let a guest talk to whoever listens there.
    @Test
    void aSocketInWhatIsShownLeadsNowhere() throws IOException {
        Path shown = Files.createDirectories(directory.resolve("shown"));
        try (var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(shown.resolve("agent.sock")));
            var view = new SandboxSpec.View(List.of(new SandboxSpec.Mount(shown, Path.of("/mnt/shown"))), List.of());

            launch(withView(spec("lab", Optional.empty()), view));
            GuestUnderTest.Outcome outcome = guest().run("python3 -c 'import socket;"
                    + " s=socket.socket(socket.AF_UNIX); s.connect(\"/mnt/shown/agent.sock\"); print(\"connected\")' 2>&1;"
                    + " ls /mnt/shown");

            assertThat(outcome.output()).doesNotContain("connected\n").contains("refused", "agent.sock");
        }
    }

    @Test
    void hiddenFilesOfAProjectAreEmptyInside() throws IOException {
        Path project = Files.createDirectory(directory.resolve("project"));
        Files.writeString(project.resolve(".env"), "KEY=secret");
        Files.writeString(project.resolve("plain"), "plain");
        var lent = new SandboxSpec.Project(project, "app", SandboxSpec.Project.Access.COPY_ON_WRITE);
        var view = new SandboxSpec.View(List.of(), List.of(".env", "gone"));

        launch(withView(spec("lab", Optional.of(lent)), view));
        GuestUnderTest.Outcome outcome = guest().run(
                        "cd /root/app; cat .env plain; (echo x > .env) 2>/dev/null || echo refused;"
                                + " rm -f .env 2>/dev/null || echo refused; mv .env b 2>/dev/null || echo refused; cp -r . /root/copy;"
                                + " cat /root/copy/.env");

        assertThat(outcome.output()).isEqualTo("plainrefused\nrefused\nrefused\n");
        assertThat(project.resolve(".env")).hasContent("KEY=secret");
        assertThat(directory.resolve("lab/up/project/.env")).doesNotExist();
    }

    private static SandboxSpec withView(SandboxSpec spec, SandboxSpec.View view) {
        return new SandboxSpec(
                spec.id(),
                spec.sessionDir(),
                spec.runtimeDir(),
                spec.limits(),
                spec.environment(),
                spec.project(),
                view,
                spec.profileId(),
                spec.userId());
    }

    private void launch(SandboxSpec spec) throws IOException {
        bindPorts(spec);
        RunningSandbox sandbox = driver.launch(spec, spec.sessionDir().resolve("serial.log"));
        destroyLater(sandbox);
        awaitStarted(sandbox);
    }

    /// Also what no walk of a directory finds: files without a name, and those behind a directory that is shut.
    @Test
    void whateverTakesRoomIsMeasured() throws IOException {
        RunningSandbox sandbox = launch("lab");
        Path session = directory.resolve("lab");
        LayerUse before = driver.layersOf(session, sandbox.handle());

        guest().run("mkdir /root/shut; dd if=/dev/urandom of=/root/shut/file bs=1M count=8; chmod 000 /root/shut;"
                + " mkdir /var/many; for i in $(seq 100); do : > /var/many/$i; done; sync");
        LayerUse named = driver.layersOf(session, sandbox.handle());
        guest().run("(exec 5> /root/gone; rm /root/gone; dd if=/dev/urandom bs=1M count=16 >&5; exec sleep 1000)"
                + " > /dev/null 2>&1 & sleep 1");
        LayerUse nameless = driver.layersOf(session, sandbox.handle());
        for (int attempt = 0; attempt < 100 && nameless.bytes() - named.bytes() < 16 << 20; attempt++) {
            guest().run("sleep 0.1");
            nameless = driver.layersOf(session, sandbox.handle());
        }

        assertThat(named.bytes() - before.bytes()).isBetween(8L << 20, 10L << 20);
        assertThat(named.files() - before.files()).isBetween(103L, 150L);
        assertThat(nameless.bytes() - named.bytes()).isBetween(16L << 20, 18L << 20);
        assertThat(driver.writtenBy(sandbox.handle())).isBetween(24L << 20, 40L << 20);
        assertThat(driver.layersOf(session, sandbox.handle(), use -> use.bytes() > 4 << 20))
                .as("the guest decides how long the rest takes")
                .satisfies(use -> assertThat(use.bytes()).isEqualTo(named.bytes()))
                .satisfies(use -> assertThat(use.files()).isZero());
    }

    /// Memory that no limit of a process counts: shared, in files of memory, in memory filesystems. Each once.
    @Test
    void allMemoryIsMeasuredAndTheLargestCanBeEnded() throws Exception {
        RunningSandbox sandbox = launch("lab");
        long before = driver.memoryOf(sandbox.handle()).bytes();
        String hold = """
                import os, mmap, time
                f = os.memfd_create('x')
                os.ftruncate(f, 1 << 40)
                for i in range(48): os.pwrite(f, bytes(1 << 20), i << 20)
                if os.fork():
                  time.sleep(1000)
                time.sleep(1000)
                """;
        guest().run("python3 -c \"" + hold + "\" > /dev/null 2>&1 & head -c 16M /dev/zero > /dev/shm/f; sleep 1");

        MemoryUse use = driver.memoryOf(sandbox.handle());
        for (int attempt = 0; attempt < 100 && use.bytes() - before < 64 << 20; attempt++) {
            guest().run("sleep 0.1");
            use = driver.memoryOf(sandbox.handle());
        }

        assertThat(use.bytes() - before).isBetween(64L << 20, 96L << 20);
        assertThat(driver.endLargest(sandbox.handle(), use)).isTrue();
        assertThat(driver.endLargest(sandbox.handle(), new MemoryUse(1, OptionalLong.of(1))))
                .isFalse();
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
                            case CGROUP, SCOPE -> "unlimited";
                            case WATCHED -> Integer.toString(256 * 1024);
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
