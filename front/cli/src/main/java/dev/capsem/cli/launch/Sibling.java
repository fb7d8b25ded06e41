package dev.capsem.cli.launch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Another program of ours, run with our streams.
public final class Sibling {
    private final Path program;

    public Sibling(Path dist, String name) {
        this.program = dist.resolve("bin").resolve(name);
    }

    public Path program() {
        return program;
    }

    /// Its exit code; empty when it is not there.
    public Optional<Integer> run(List<String> arguments) {
        if (!Files.isExecutable(program)) {
            return Optional.empty();
        }
        List<String> words = new ArrayList<>(List.of(program.toString()));
        words.addAll(arguments);
        try {
            return Optional.of(new ProcessBuilder(words).inheritIO().start().waitFor());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + program + " ran", interrupted);
        }
    }
}
