package dev.capsem.profiles.launch;

import dev.capsem.profiles.secret.Secret;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// Runs a program of this host that prints a credential. Its output goes through a pipe and never to a file; what it
/// writes to standard error is not read, since it may hold the same.
public final class HostProgram {
    private static final int OUTPUT_BYTES_MAX = Secret.CHARS_MAX + 4_096;

    private final Duration patience;

    /// @param patience with one program; a person may have to confirm on another screen
    public HostProgram(Duration patience) {
        this.patience = patience;
    }

    /// The result of a run.
    public sealed interface Ran {
        /// @param output without the line break at its end
        record Printed(String output) implements Ran {
            @Override
            public String toString() {
                return "Printed[***]";
            }
        }

        record Failed(String reason) implements Ran {}
    }

    /// @param input given on standard input; a command line could be read by others
    public Ran run(List<String> command, Optional<Secret> input) {
        try {
            Process process = new ProcessBuilder(command)
                    .directory(Path.of("/").toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                return run(process, command.getFirst(), input);
            } finally {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        } catch (IOException notThere) {
            return new Ran.Failed(command.getFirst() + " cannot be started");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Ran.Failed("the wait for " + command.getFirst() + " was interrupted");
        }
    }

    private Ran run(Process process, String name, Optional<Secret> input) throws InterruptedException {
        CompletableFuture<byte[]> output = new CompletableFuture<>();
        // Pipes of a child block their carrier, so these are threads of the platform.
        Thread.ofPlatform().daemon().name("program-output").start(() -> read(process, output));
        Thread.ofPlatform().daemon().name("program-input").start(() -> write(process, input));
        if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            return new Ran.Failed(name + " was not done after " + patience.toSeconds() + " seconds");
        }
        if (process.exitValue() != 0) {
            return new Ran.Failed(name + " ended with exit code " + process.exitValue());
        }
        byte[] bytes = output.join();
        if (bytes.length > OUTPUT_BYTES_MAX) {
            return new Ran.Failed(name + " printed more than a credential");
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        Arrays.fill(bytes, (byte) 0);
        return new Ran.Printed(text.endsWith("\n") ? text.substring(0, text.length() - 1) : text);
    }

    private static void read(Process process, CompletableFuture<byte[]> output) {
        try (InputStream in = process.getInputStream()) {
            output.complete(in.readNBytes(OUTPUT_BYTES_MAX + 1));
        } catch (IOException gone) {
            output.complete(new byte[0]);
        }
    }

    private static void write(Process process, Optional<Secret> input) {
        try (OutputStream out = process.getOutputStream()) {
            if (input.isPresent()) {
                out.write(input.get().reveal().getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException | UncheckedIOException closed) {
            // A program that does not read has ended or does not care; its exit code says which.
        }
    }
}
