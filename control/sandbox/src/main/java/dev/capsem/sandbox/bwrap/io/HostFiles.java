package dev.capsem.sandbox.bwrap.io;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Programs, scratch directories and socket directories of the host.
public final class HostFiles {
    /// Searched after PATH: daemons often run with a short one.
    private static final String USUAL_FOLDERS = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin";

    private HostFiles() {}

    /// @param program an absolute path, or a name to look up on PATH
    public static Optional<Path> findProgram(Path program) {
        if (program.isAbsolute()) {
            return Optional.of(program).filter(Files::isExecutable);
        }
        String path = System.getenv().getOrDefault("PATH", "") + ":" + USUAL_FOLDERS;
        return Stream.of(path.split(":"))
                .filter(folder -> folder.startsWith("/"))
                .map(folder -> Path.of(folder).resolve(program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    public static boolean isProgram(Path file) {
        return Files.isRegularFile(file) && Files.isExecutable(file);
    }

    public static boolean exists(Path path) {
        return Files.exists(path, java.nio.file.LinkOption.NOFOLLOW_LINKS);
    }

    /// When a file or directory was last changed, and its size then.
    public record Change(FileTime modified, long size) {}

    /// None if there is no such thing; links are followed.
    public static Optional<Change> change(Path path) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            return Optional.of(new Change(attributes.lastModifiedTime(), attributes.size()));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// Requires: both lie in one directory.
    public static void rename(Path from, Path to) throws IOException {
        Files.move(from, to, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    }

    public static Path scratchDirectory(Path parent) {
        try {
            Files.createDirectories(parent);
            return Files.createTempDirectory(parent, "probe.");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Path directory(Path path) {
        try {
            return Files.createDirectories(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Deletes `vsock/*`, `vsock` and the directory itself, nothing else: whatever else is in it stays, and so
    /// does it.
    public static void removeSockets(Path runtimeDirectory) {
        Path sockets = runtimeDirectory.resolve("vsock");
        try {
            if (Files.isDirectory(sockets, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
                try (Stream<Path> entries = Files.list(sockets)) {
                    for (Path entry : List.copyOf(entries.toList())) {
                        Files.deleteIfExists(entry);
                    }
                }
                Files.deleteIfExists(sockets);
            }
            Files.deleteIfExists(runtimeDirectory);
        } catch (java.nio.file.DirectoryNotEmptyException e) {
            // Somebody else's files: not ours to remove.
            return;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
