package dev.capsem.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// Runs a program to its end and keeps what it printed.
final class Commands {
    /// A program that hangs fails its test instead of the whole gate.
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private Commands() {}

    record Outcome(int exitCode, byte[] stdoutBytes, String stderr) {
        String stdout() {
            return new String(stdoutBytes, StandardCharsets.UTF_8);
        }
    }

    static Outcome run(List<String> argv, Map<String, String> environment, Path directory, byte[] stdin) {
        ProcessBuilder builder = new ProcessBuilder(argv).directory(directory.toFile());
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            try {
                CompletableFuture<byte[]> out = readAll(process.getInputStream());
                CompletableFuture<byte[]> err = readAll(process.getErrorStream());
                try (OutputStream in = process.getOutputStream()) {
                    in.write(stdin);
                } catch (IOException ended) {
                    // The program ended without reading: its exit code tells.
                }
                if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                    throw new AssertionError(String.join(" ", argv) + " did not end within " + PATIENCE);
                }
                return new Outcome(process.exitValue(), out.join(), new String(err.join(), StandardCharsets.UTF_8));
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException cannotStart) {
            throw new UncheckedIOException(cannotStart);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    private static CompletableFuture<byte[]> readAll(InputStream stream) {
        CompletableFuture<byte[]> all = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try (stream) {
                all.complete(stream.readAllBytes());
            } catch (IOException broken) {
                all.completeExceptionally(broken);
            }
        });
        return all;
    }
}
