package dev.capsem.profiles.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// The `.toml` files of a directory, which need not exist.
final class TomlFiles {
    private TomlFiles() {}

    static List<Path> in(Path directory) {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".toml"))
                    .filter(file -> !String.valueOf(file.getFileName()).startsWith("."))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new ProfileException(ProfileException.Code.UNREADABLE, directory + " cannot be listed", e);
        }
    }
}
