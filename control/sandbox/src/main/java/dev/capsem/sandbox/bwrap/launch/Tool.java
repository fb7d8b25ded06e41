package dev.capsem.sandbox.bwrap.launch;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs a short command to its end.
public final class Tool {
    static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    /// More than any tool of ours says; the rest is dropped.
    private static final int OUTPUT_BYTES_MAX = 64 * 1024;

    private Tool() {}

    /// @param output standard output and error together
    public record Result(int exitCode, String output) {
        public boolean succeeded() {
            return exitCode == 0;
        }
    }

    /// Throws [UncheckedIOException] when the program cannot start or takes longer than `timeout`, after
    /// killing it.
    public static Result run(List<String> command, Path directory, Duration timeout) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().put("PATH", PATH);
        builder.environment().put("LC_ALL", "C");
        builder.directory(directory.toFile());
        builder.redirectErrorStream(true);
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            Thread watchdog = Thread.ofVirtual().start(() -> killAfter(process, timeout));
            try (InputStream stream = process.getInputStream()) {
                byte[] kept = stream.readNBytes(OUTPUT_BYTES_MAX);
                stream.transferTo(java.io.OutputStream.nullOutputStream());
                int exitCode = process.waitFor();
                if (watchdog.getState() == Thread.State.TERMINATED && exitCode == 128 + 9) {
                    throw new IOException("took longer than " + timeout.toSeconds() + " s");
                }
                return new Result(exitCode, new String(kept, StandardCharsets.UTF_8).strip());
            } finally {
                watchdog.interrupt();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(new IOException(command.getFirst() + ": " + e.getMessage(), e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException(command.getFirst() + ": interrupted", e));
        }
    }

    private static void killAfter(Process process, Duration timeout) {
        try {
            if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException _) {
            // The command ended first.
            Thread.currentThread().interrupt();
        }
    }
}
