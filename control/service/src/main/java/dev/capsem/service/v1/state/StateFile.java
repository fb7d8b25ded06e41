package dev.capsem.service.v1.state;

import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/// One JSON document on disk, readable by its owner only.
public final class StateFile {
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE_DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private final Path path;

    public StateFile(Path path) {
        this.path = path;
    }

    public Optional<JsonNode> read() {
        try {
            return Optional.of(Json.parse(Files.readAllBytes(path)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Whole or not at all, also when the power fails. One writer at a time.
    public synchronized void write(JsonNode document) {
        Path parent = path.toAbsolutePath().resolveSibling(".").normalize();
        Path fresh = path.resolveSibling(path.getFileName() + ".new");
        try {
            Files.createDirectories(parent, PRIVATE_DIRECTORY);
            Files.deleteIfExists(fresh);
            try (FileChannel out = FileChannel.open(
                    fresh, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), PRIVATE_FILE)) {
                ByteBuffer bytes = ByteBuffer.wrap(Json.bytes(document));
                while (bytes.hasRemaining()) {
                    out.write(bytes);
                }
                out.force(true);
            }
            Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
