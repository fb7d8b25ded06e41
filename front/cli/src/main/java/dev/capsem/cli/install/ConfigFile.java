package dev.capsem.cli.install;

import dev.capsem.cli.command.CliProblem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/// A client's configuration on disk.
final class ConfigFile {
    private static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rw-------");

    private final Path path;

    /// A link is followed: people keep such files elsewhere.
    ConfigFile(Path path) {
        this.path = path;
    }

    /// Empty text for a file that is not there.
    String text() {
        try {
            return Files.exists(path) ? Files.readString(path, StandardCharsets.UTF_8) : "";
        } catch (IOException e) {
            throw problem(e);
        }
    }

    /// Replaces it in one step; returns where the old one is now, if there was one.
    Optional<Path> replace(String text, String stamp) {
        try {
            boolean isThere = Files.exists(path);
            Path file = isThere ? path.toRealPath() : path.toAbsolutePath();
            Path directory = Files.createDirectories(file.resolveSibling("."));
            Path fresh = Files.createTempFile(
                    directory.normalize(), ".capsem-", ".new", PosixFilePermissions.asFileAttribute(PRIVATE));
            Files.writeString(fresh, text, StandardCharsets.UTF_8);
            Optional<Path> backup = Optional.empty();
            if (isThere) {
                Path copy = file.resolveSibling(file.getFileName() + ".before-capsem-" + stamp);
                Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
                Files.setPosixFilePermissions(fresh, Files.getPosixFilePermissions(file));
                backup = Optional.of(copy);
            }
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return backup;
        } catch (IOException e) {
            throw problem(e);
        }
    }

    private CliProblem problem(IOException e) {
        return CliProblem.of(
                "unwritable_config",
                "cannot edit " + path + ": " + e.getMessage(),
                "put the entry in by hand: capsem mcp install CLIENT --print");
    }
}
