package dev.capsem.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.SandboxId;
import dev.capsem.wire.SandboxSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What every driver must do, whatever a sandbox of its kind is made of. A driver's test extends this and says
/// how to reach it.
public abstract class SandboxDriverContract {
    @TempDir
    protected Path directory;

    private final List<RunningSandbox> launched = new ArrayList<>();

    protected abstract SandboxDriver driver();

    /// Binds the ports in `spec.runtimeDir()/vsock`, as capsem-process would.
    protected abstract void bindPorts(SandboxSpec spec) throws IOException;

    /// Waits until the sandbox's first process is up.
    protected abstract void awaitStarted(RunningSandbox sandbox) throws IOException;

    /// Whether any process of the sandbox is left.
    protected abstract boolean isAlive(SandboxHandle handle);

    @AfterEach
    void destroyAll() {
        launched.forEach(RunningSandbox::destroy);
    }

    @Test
    void aFitHostHasNoProblems() {
        assertThat(driver().hostProblems()).isEmpty();
    }

    @Test
    void theHandleNamesTheDriverAndSurvivesAsText() throws IOException {
        SandboxHandle handle = launch("lab").handle();

        assertThat(handle.driver()).isEqualTo(driver().name());
        assertThat(SandboxHandleJson.read(SandboxHandleJson.write(handle))).isEqualTo(handle);
    }

    @Test
    void destroyEndsEverythingAndMayBeRepeated() throws Exception {
        RunningSandbox sandbox = launch("lab");
        assertThat(isAlive(sandbox.handle())).isTrue();
        SandboxHandle handle = sandbox.handle();

        sandbox.destroy();
        sandbox.destroy();

        sandbox.exit().get(10, TimeUnit.SECONDS);
        assertThat(isAlive(handle)).isFalse();
    }

    @Test
    void oneSandboxEndsWithoutTheOther() throws IOException {
        RunningSandbox first = launch("first");
        RunningSandbox second = launch("second");

        first.destroy();

        assertThat(isAlive(second.handle())).isTrue();
        assertThat(second.exit()).isNotDone();
    }

    @Test
    void freezingAndThawingMayBeRepeated() throws IOException {
        RunningSandbox sandbox = launch("lab");

        sandbox.freeze();
        sandbox.freeze();
        sandbox.thaw();
        sandbox.thaw();
        sandbox.freeze();

        assertThat(isAlive(sandbox.handle())).isTrue();
        assertThat(sandbox.exit()).isNotDone();
    }

    @Test
    void aFrozenSandboxCanBeDestroyed() throws Exception {
        RunningSandbox sandbox = launch("lab");
        SandboxHandle handle = sandbox.handle();
        sandbox.freeze();

        sandbox.destroy();

        assertThat(sandbox.exit()).isDone();
        assertThat(isAlive(handle)).isFalse();
    }

    @Test
    void aLaterProcessCleansUpByHandle() throws Exception {
        RunningSandbox sandbox = launch("lab");
        SandboxHandle handle = SandboxHandleJson.read(SandboxHandleJson.write(sandbox.handle()));

        driver().cleanUp(handle);
        driver().cleanUp(handle);

        sandbox.exit().get(10, TimeUnit.SECONDS);
        assertThat(isAlive(handle)).isFalse();
    }

    @Test
    void whatIsFrozenIsCleanedUpToo() throws Exception {
        RunningSandbox sandbox = launch("lab");
        SandboxHandle handle = sandbox.handle();
        sandbox.freeze();

        driver().cleanUp(handle);

        sandbox.exit().get(10, TimeUnit.SECONDS);
        assertThat(isAlive(handle)).isFalse();
    }

    @Test
    void aReusedPidIsLeftAlone() throws IOException {
        RunningSandbox sandbox = launch("lab");
        SandboxHandle handle = sandbox.handle();
        SandboxHandle older = new SandboxHandle(handle.driver(), handle.pid(), handle.startTicks() - 1, Map.of());

        driver().cleanUp(older);

        assertThat(isAlive(handle)).isTrue();
        assertThat(sandbox.exit()).isNotDone();
    }

    @Test
    void aForkGetsLayersAndWorkspaceButNoRecords() throws IOException {
        Path source = Files.createDirectory(directory.resolve("source"));
        Path target = Files.createDirectory(directory.resolve("target"));
        write(source.resolve("workspace/deep/file"), "work");
        write(source.resolve("up/etc/hosts"), "layer");
        write(source.resolve("wk/etc/scratch"), "no");
        write(source.resolve("session.db"), "no");
        write(source.resolve("serial.log"), "no");
        write(source.resolve("project.manifest"), "manifest");
        Files.createSymbolicLink(source.resolve("workspace/out"), Path.of("/etc/passwd"));
        Files.setPosixFilePermissions(source.resolve("workspace/deep"), PosixFilePermissions.fromString("---------"));

        long bytes = driver().copyState(source, target);

        assertThat(bytes).isPositive();
        assertThat(target.resolve("up/etc/hosts")).hasContent("layer");
        assertThat(target.resolve("project.manifest")).hasContent("manifest");
        assertThat(Files.readSymbolicLink(target.resolve("workspace/out"))).isEqualTo(Path.of("/etc/passwd"));
        assertThat(Files.getPosixFilePermissions(target.resolve("workspace/deep")))
                .isEmpty();
        Files.setPosixFilePermissions(target.resolve("workspace/deep"), PosixFilePermissions.fromString("rwx------"));
        assertThat(target.resolve("workspace/deep/file")).hasContent("work");
        assertThat(target.resolve("wk")).doesNotExist();
        assertThat(target.resolve("session.db")).doesNotExist();
        assertThat(target.resolve("serial.log")).doesNotExist();

        driver().removeSession(source);
        driver().removeSession(target);
    }

    @Test
    void removesASessionWhateverTheGuestLeftInIt() throws IOException {
        Path session = Files.createDirectory(directory.resolve("session"));
        write(session.resolve("workspace/closed/file"), "x");
        Files.createSymbolicLink(session.resolve("workspace/link"), directory);
        Files.setPosixFilePermissions(
                session.resolve("workspace/closed"), PosixFilePermissions.fromString("---------"));

        driver().removeSession(session);
        driver().removeSession(session);

        assertThat(session).doesNotExist();
        assertThat(directory).exists();
    }

    protected RunningSandbox launch(String id) throws IOException {
        SandboxSpec spec = spec(id, Optional.empty());
        bindPorts(spec);
        RunningSandbox sandbox = driver().launch(spec, spec.sessionDir().resolve("serial.log"));
        destroyLater(sandbox);
        awaitStarted(sandbox);
        return sandbox;
    }

    protected void destroyLater(RunningSandbox sandbox) {
        launched.add(sandbox);
    }

    protected SandboxSpec spec(String id, Optional<SandboxSpec.Project> project) throws IOException {
        Path session = Files.createDirectories(directory.resolve(id));
        Path runtime = Files.createDirectories(directory.resolve("r-" + id));
        Files.createDirectories(runtime.resolve("vsock"));
        return new SandboxSpec(
                new SandboxId(id),
                session,
                runtime,
                new SandboxSpec.Limits(256, 1, 128),
                Map.of(),
                project,
                "default",
                "user");
    }

    private static void write(Path file, String text) throws IOException {
        Path parent = file.getParent();
        assertThat(parent).isNotNull();
        Files.createDirectories(parent);
        Files.writeString(file, text);
    }
}
