package dev.capsem.service.state;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
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
import java.time.DateTimeException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/// One JSON document on disk, readable by its owner only.
public final class StateFile {
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE_DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private static final String DAMAGED = ".damaged";
    private static final Logger LOG = LoggerFactory.getLogger(StateFile.class);

    private final Path path;

    public StateFile(Path path) {
        this.path = path;
    }

    /// Nothing when there is no file, and nothing when it is damaged: then it is put aside under another name, so that
    /// nothing is lost and the service starts. What was in it counts for nothing until somebody repairs it.
    ///
    /// @param form all of what the file says, or an exception
    public <T> Optional<T> read(Function<? super JsonNode, ? extends T> form) {
        try {
            return Optional.of(form.apply(Json.parse(Files.readAllBytes(path))));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (JsonShapeException | DateTimeException | IllegalArgumentException e) {
            putAside(e);
            return Optional.empty();
        }
    }

    private void putAside(RuntimeException why) {
        Path aside = path.resolveSibling(path.getFileName() + DAMAGED);
        try {
            Files.move(path, aside, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        LOG.error("{} is damaged and was put aside as {}; see `capsem status`", path, aside, why);
    }

    /// The files of a directory that were put aside and are still there.
    public static List<Path> damagedIn(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(DAMAGED))
                    .sorted()
                    .toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The name of a file before it was put aside.
    public static String nameBefore(Path damaged) {
        String name = String.valueOf(damaged.getFileName());
        return name.substring(0, name.length() - DAMAGED.length());
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
