package dev.capsem.policy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Finds and runs the programs that enforce artifacts. A missing program skips the test with a message that names it.
final class RealProgram {
    private static final List<String> FOLDERS = List.of("/usr/sbin", "/sbin", "/usr/local/bin", "/usr/bin", "/bin");
    private static final int TIMEOUT_SECONDS = 60;

    private RealProgram() {}

    record Outcome(int exit, String output) {}

    static String require(String name) {
        Optional<Path> found = find(name);
        assumeTrue(found.isPresent(), () -> "skipped: '" + name + "' is not installed on this machine");
        return found.orElseThrow().toString();
    }

    /// A program that `./capsem setup --tests` brings from npm, unless the machine has its own.
    static String requireClient(String name, String inModules) {
        Path client = Path.of("../../testing/clients/node_modules").resolve(inModules);
        if (find(name).isEmpty() && Files.isRegularFile(client)) {
            assertThat(client.toFile().setExecutable(true)).isTrue();
            return client.toAbsolutePath().normalize().toString();
        }
        return require(name);
    }

    static void requireRoot() {
        assumeTrue("root".equals(System.getProperty("user.name")), "skipped: this test needs root to make namespaces");
    }

    static Optional<Path> find(String name) {
        Stream<String> path = Stream.ofNullable(System.getenv("PATH")).flatMap(text -> Stream.of(text.split(":")));
        return Stream.concat(path, FOLDERS.stream())
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    static Outcome run(List<String> command) {
        return run(command, Map.of());
    }

    /// Runs to the end, with both streams in one text.
    static Outcome run(List<String> command, Map<String, String> environment) {
        try {
            Path output = Files.createTempFile("capgate-e2e", ".txt");
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            process.getOutputStream().close();
            boolean ended = process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            if (!ended) {
                process.destroyForcibly().waitFor();
            }
            String text = Files.readString(output, StandardCharsets.UTF_8);
            Files.delete(output);
            return new Outcome(ended ? process.exitValue() : -1, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    static Process start(List<String> command, Path log) throws IOException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    static void stop(Process process) throws InterruptedException {
        process.destroy();
        if (!process.waitFor(5, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }

    static List<String> command(List<String> head, String... tail) {
        List<String> command = new ArrayList<>(head);
        command.addAll(List.of(tail));
        return command;
    }
}
