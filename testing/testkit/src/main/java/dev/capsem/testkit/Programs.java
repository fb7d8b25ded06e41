package dev.capsem.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Programs of the host that tests use as counterparts.
public final class Programs {
    private Programs() {}

    /// Runs a program to its end; what it printed. Anything but success is the test's failure.
    public static String run(Path directory, List<String> argv) {
        return run(directory, Map.of(), argv);
    }

    public static String run(Path directory, Map<String, String> environment, List<String> argv) {
        ProcessBuilder builder =
                new ProcessBuilder(argv).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int code = process.waitFor();
            if (code != 0) {
                throw new AssertionError(String.join(" ", argv) + " ended with " + code + ": " + output);
            }
            return output;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    /// Where the program is, looked for where sandboxes have it too.
    public static Optional<Path> find(String name) {
        for (String folder : List.of("/usr/bin", "/usr/sbin", "/bin", "/sbin")) {
            Path file = Path.of(folder, name);
            if (Files.isExecutable(file)) {
                return Optional.of(file);
            }
        }
        return Optional.empty();
    }
}
