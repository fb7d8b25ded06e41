package dev.capsem.service.table;

import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import dev.capsem.wire.json.SandboxSpecJson;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/// The service's own files in a session directory, and the directories themselves. The guest's files there
/// (`workspace`, `up`) are the driver's business.
public final class SessionFiles {
    private static final Logger LOG = LoggerFactory.getLogger(SessionFiles.class);
    static final String SPEC = "spec.json";
    static final int TAIL_BYTES_MAX = 64 * 1_024;
    private static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rwx------");

    private SessionFiles() {}

    public static void createPrivate(Path directory) {
        FileAttribute<Set<PosixFilePermission>> mode = PosixFilePermissions.asFileAttribute(PRIVATE);
        try {
            if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectories(directory, mode);
            }
            // The umask can only have taken away from the mode, but the directory may be older than this program.
            if (!Files.getPosixFilePermissions(directory, LinkOption.NOFOLLOW_LINKS)
                    .equals(PRIVATE)) {
                Files.setPosixFilePermissions(directory, PRIVATE);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void writeSpec(SandboxSpec spec) {
        write(spec.sessionDir().resolve(SPEC), SandboxSpecJson.write(spec));
    }

    public static Optional<SandboxSpec> readSpec(Path sessionDir) {
        return read(sessionDir.resolve(SPEC), SandboxSpecJson::read);
    }

    public static void writeInstance(Path sessionDir, Instance instance) {
        write(sessionDir.resolve(Instance.FILE_NAME), instance.toJson());
    }

    public static Optional<Instance> readInstance(Path sessionDir) {
        return read(sessionDir.resolve(Instance.FILE_NAME), Instance::fromJson);
    }

    public static void deleteInstance(Path sessionDir) {
        deleteQuietly(sessionDir.resolve(Instance.FILE_NAME));
    }

    static void writeActivity(Path sessionDir, Activity activity) {
        write(sessionDir.resolve(Activity.FILE_NAME), activity.toJson());
    }

    static Activity readActivity(Path sessionDir) {
        return read(sessionDir.resolve(Activity.FILE_NAME), Activity::fromJson).orElse(Activity.NONE);
    }

    private static void write(Path file, ObjectNode json) {
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        try {
            Files.write(temporary, Json.bytes(json));
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static <T> Optional<T> read(Path file, Function<JsonMembers, T> reader) {
        try {
            return Optional.of(reader.apply(JsonMembers.of(Json.parse(Files.readAllBytes(file)), "")));
        } catch (IOException | JsonShapeException e) {
            return Optional.empty();
        }
    }

    /// The last lines of a log; empty when there is none.
    public static String tail(Path log, int lines) {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            long from = Math.max(0, file.length() - TAIL_BYTES_MAX);
            file.seek(from);
            byte[] bytes = new byte[(int) (file.length() - from)];
            file.readFully(bytes);
            List<String> all = new String(bytes, StandardCharsets.UTF_8).lines().toList();
            return String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size()));
        } catch (IOException e) {
            return "";
        }
    }

    public static List<Path> children(Path directory) {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.sorted().toList();
        } catch (IOException e) {
            return new ArrayList<>();
        }
    }

    /// Of the directories that keep what crashed sandboxes left, all but the newest.
    public static List<Path> beyondNewest(List<Path> directories, int keep) {
        return directories.stream()
                .sorted(Comparator.comparingLong(SessionFiles::modified).reversed())
                .skip(keep)
                .toList();
    }

    private static long modified(Path path) {
        try {
            return Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS).toMillis();
        } catch (IOException e) {
            return 0;
        }
    }

    /// Sockets and empty directories whose removal nobody waits for.
    public static void deleteQuietly(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (DirectoryNotEmptyException e) {
            LOG.debug("{} is not empty and stays", path);
        } catch (IOException e) {
            LOG.warn("{} could not be removed: {}", path, e.getMessage());
        }
    }

    /// A directory of sockets: no guest has ever written to it. A process that was killed left some below it. Follows
    /// no link.
    public static void deleteRuntimeDir(Path directory) {
        for (Path child : children(directory)) {
            if (Files.isDirectory(child, LinkOption.NOFOLLOW_LINKS)) {
                deleteRuntimeDir(child);
            } else {
                deleteQuietly(child);
            }
        }
        deleteQuietly(directory);
    }
}
