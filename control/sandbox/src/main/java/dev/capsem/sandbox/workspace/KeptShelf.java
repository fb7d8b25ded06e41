package dev.capsem.sandbox.workspace;

import dev.capsem.sandbox.workspace.tree.FileFacts;
import dev.capsem.sandbox.workspace.tree.FileType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// The copies of what `apply` overwrote, one directory for each apply. They outlive the sandboxes, but not for ever.
public final class KeptShelf {
    /// A user misses a lost file within this time.
    static final Duration AGE_MAX = Duration.ofDays(30);
    /// Of all copies together; sources are small, so it is artefacts that reach it.
    static final long BYTES_MAX = 1024L * 1024 * 1024;

    private static final DateTimeFormatter MOMENT =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS").withZone(ZoneOffset.UTC);
    private static final int MOMENT_LENGTH = "yyyyMMdd-HHmmss-SSS".length();

    private final Path directory;
    private final long bytesMax;

    public KeptShelf(Path directory) {
        this(directory, BYTES_MAX);
    }

    KeptShelf(Path directory, long bytesMax) {
        this.directory = directory;
        this.bytesMax = bytesMax;
    }

    /// Where the copies of one apply go.
    Path place(String sandbox, Instant now) {
        return directory.resolve(sandbox + "-" + MOMENT.format(now));
    }

    private record Copy(Path path, Instant made) {}

    /// Removes copies that are older than [#AGE_MAX], and the oldest beyond [#BYTES_MAX]; never the newest.
    public void prune(Instant now) {
        List<Copy> newestFirst = copies();
        long bytes = 0;
        for (int i = 0; i < newestFirst.size(); i++) {
            Copy copy = newestFirst.get(i);
            bytes += size(copy.path);
            boolean isOld = copy.made.isBefore(now.minus(AGE_MAX));
            if (i > 0 && (isOld || bytes > bytesMax)) {
                remove(copy.path);
            }
        }
    }

    private List<Copy> copies() {
        var copies = new ArrayList<Copy>();
        try (Stream<Path> all = Files.list(directory)) {
            all.forEach(path -> made(path).ifPresent(moment -> copies.add(new Copy(path, moment))));
        } catch (IOException none) {
            return List.of();
        }
        copies.sort(Comparator.comparing(Copy::made).reversed());
        return copies;
    }

    /// By its name; what we did not name is not ours to remove.
    private static Optional<Instant> made(Path path) {
        String name = path.getFileName().toString();
        if (name.length() <= MOMENT_LENGTH || !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        try {
            return Optional.of(Instant.from(MOMENT.parse(name.substring(name.length() - MOMENT_LENGTH))));
        } catch (DateTimeParseException other) {
            return Optional.empty();
        }
    }

    private static long size(Path copy) {
        try (Stream<Path> all = Files.walk(copy)) {
            long bytes = 0;
            for (Path path : all.toList()) {
                FileFacts facts = FileFacts.of(path, LinkOption.NOFOLLOW_LINKS);
                bytes += facts.type() == FileType.REGULAR ? facts.size() : 0;
            }
            return bytes;
        } catch (IOException unreadable) {
            return 0;
        }
    }

    private static void remove(Path copy) {
        try (Stream<Path> all = Files.walk(copy)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException busy) {
            // The next apply tries again.
        }
    }
}
