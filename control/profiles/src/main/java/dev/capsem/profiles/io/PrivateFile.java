package dev.capsem.profiles.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/// Files that only their owner may read, written whole or not at all.
final class PrivateFile {
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private PrivateFile() {}

    /// Survives a crash of the host.
    static void write(Path file, String text) throws IOException {
        write(file, text, true);
    }

    /// For what can be made again: whole or not at all, but the disk is not waited for.
    static void replace(Path file, String text) throws IOException {
        write(file, text, false);
    }

    private static void write(Path file, String text, boolean mustLast) throws IOException {
        Path directory = makeDirectory(file);
        Path fresh = Files.createTempFile(directory, "." + file.getFileName(), ".new", OWNER_FILE);
        try {
            try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
                ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                if (mustLast) {
                    channel.force(true);
                }
            }
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    /// The directory of a file, made if it is not there.
    static Path makeDirectory(Path file) throws IOException {
        Path directory = file.toAbsolutePath().resolveSibling("");
        return Files.createDirectories(directory, OWNER_DIRECTORY);
    }

    /// Whether others than the owner can read or change it.
    static boolean isOpenToOthers(Path file) throws IOException {
        return Files.getPosixFilePermissions(file).stream()
                .anyMatch(permission -> !permission.name().startsWith("OWNER_"));
    }
}
