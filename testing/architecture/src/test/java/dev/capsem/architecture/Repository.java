package dev.capsem.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// The files of this repository that people write.
final class Repository {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final Set<String> MADE = Set.of("target", "build", "dist", "node_modules", ".git");

    private Repository() {}

    static List<Path> files(String ending) {
        try (Stream<Path> all = Files.walk(ROOT)) {
            return all.filter(file -> file.toString().endsWith(ending))
                    .filter(Repository::isWritten)
                    .filter(Files::isRegularFile)
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String name(Path file) {
        return ROOT.relativize(file).toString();
    }

    static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isWritten(Path file) {
        for (Path part : ROOT.relativize(file)) {
            if (MADE.contains(part.toString()) || part.toString().startsWith("dist.")) {
                return false;
            }
        }
        return true;
    }
}
