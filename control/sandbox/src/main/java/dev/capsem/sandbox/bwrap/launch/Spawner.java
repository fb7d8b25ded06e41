package dev.capsem.sandbox.bwrap.launch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// Starts sandboxes from one platform thread that lives as long as the JVM. The kernel ends a sandbox when the
/// *thread* that started it ends: a virtual thread's carrier, or a pool's idle thread, would take healthy
/// sandboxes with it.
public final class Spawner {
    private static final ExecutorService FOREVER = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("sandbox-spawner").daemon().factory());

    private Spawner() {}

    /// Runs with an empty environment but for PATH, nothing on standard input, all output appended to `log`.
    public static Process spawn(List<String> command, Path log) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().put("PATH", Tool.PATH);
        builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        builder.redirectErrorStream(true);
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        return start(builder);
    }

    /// Runs with this environment and PATH, pipes for standard input and output; `log` keeps the last of its errors.
    ///
    /// @param environment may hold secrets
    public static Process spawnPiped(List<String> command, Map<String, String> environment, Path log) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().putAll(environment);
        builder.environment().put("PATH", Tool.PATH);
        Process process = start(builder);
        // Pipes of a child block their carrier, so this is a thread of the platform.
        Thread.ofPlatform().daemon().name("tool-log").start(() -> LogRing.copy(process.getErrorStream(), log));
        return process;
    }

    private static Process start(ProcessBuilder builder) {
        List<String> command = builder.command();
        try {
            return FOREVER.submit(builder::start).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException("interrupted while starting " + command.getFirst(), e));
        } catch (ExecutionException e) {
            throw new UncheckedIOException(new IOException("cannot start " + command.getFirst(), e.getCause()));
        }
    }
}
