package dev.capsem.daemon.io;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Directories of ours in the temp directory that nobody will come back for: of homes that are gone, and of processes
/// that were killed. What another user owns, what is a link, and what some process has open is left alone.
public final class StaleDirectories {
    private static final Logger LOG = LoggerFactory.getLogger(StaleDirectories.class);
    private static final Pattern SOCKETS = Pattern.compile("cs-[0-9a-f]{12,32}");
    private static final Pattern WARM_UP = Pattern.compile("capsem-warm-up[0-9]+");

    /// Whose run directory is still there, or not known: somebody may be starting in it.
    private static final Duration REST_MIN = Duration.ofDays(1);

    /// A warm-up takes seconds; on a busy host minutes.
    private static final Duration WARM_UP_MAX = Duration.ofHours(1);

    private static final int DESCRIPTORS_MAX = 65_536;

    private final Path temp;
    private final Path proc;
    private final InstantSource clock;

    /// @param proc where the kernel tells of processes
    public StaleDirectories(Path temp, Path proc, InstantSource clock) {
        this.temp = temp;
        this.proc = proc;
        this.clock = clock;
    }

    /// @param own the one that is in use by whoever asks
    public void remove(Path own) {
        try {
            List<Path> stale = new ArrayList<>();
            try (DirectoryStream<Path> all = Files.newDirectoryStream(temp)) {
                for (Path directory : all) {
                    if (!directory.equals(own) && isOver(directory)) {
                        stale.add(directory);
                    }
                }
            }
            if (stale.isEmpty()) {
                return;
            }
            Set<Path> used = used();
            for (Path directory : stale) {
                if (used.stream().noneMatch(path -> path.startsWith(directory))) {
                    delete(directory);
                    LOG.info("removed {}: no process uses it", directory);
                }
            }
        } catch (IOException e) {
            LOG.warn("stale directories in {} cannot be removed: {}", temp, e.toString());
        }
    }

    private boolean isOver(Path directory) throws IOException {
        String name = directory.getFileName().toString();
        boolean isOfSockets = SOCKETS.matcher(name).matches();
        if (!isOfSockets && !WARM_UP.matcher(name).matches()) {
            return false;
        }
        try {
            BasicFileAttributes facts =
                    Files.readAttributes(directory, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!facts.isDirectory() || !PrivateDirectories.isOurs(directory)) {
                return false;
            }
            Duration rest = Duration.between(facts.lastModifiedTime().toInstant(), clock.instant());
            return isOfSockets
                    ? rest.compareTo(REST_MIN) > 0
                            || PrivateDirectories.runDirOf(directory)
                                    .filter(runDir -> Files.notExists(runDir, LinkOption.NOFOLLOW_LINKS))
                                    .isPresent()
                    : rest.compareTo(WARM_UP_MAX) > 0;
        } catch (NoSuchFileException gone) {
            return false;
        }
    }

    /// Sockets that are bound, and what processes of ours have open, are in, or were given as an argument.
    private Set<Path> used() throws IOException {
        Set<Path> used = new HashSet<>();
        for (String line : Files.readAllLines(proc.resolve("net/unix"), StandardCharsets.ISO_8859_1)) {
            int path = line.indexOf('/');
            if (path >= 0) {
                used.add(Path.of(line.substring(path)));
            }
        }
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
            for (Path process : processes) {
                target(process.resolve("cwd")).ifPresent(used::add);
                arguments(process, used);
                descriptors(process, used);
            }
        }
        return used;
    }

    private static void descriptors(Path process, Set<Path> used) {
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(process.resolve("fd"))) {
            int seen = 0;
            for (Path descriptor : descriptors) {
                if (++seen > DESCRIPTORS_MAX) {
                    return;
                }
                target(descriptor).ifPresent(used::add);
            }
        } catch (IOException | DirectoryIteratorException othersOrOver) {
            // It cannot have a directory of ours open that only we may enter.
        }
    }

    private static void arguments(Path process, Set<Path> used) {
        try {
            String line = Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
            for (String argument : line.split("\0")) {
                if (argument.startsWith("/")) {
                    used.add(Path.of(argument));
                }
            }
        } catch (IOException over) {
            // It has no arguments any more.
        }
    }

    private static Optional<Path> target(Path link) {
        try {
            return Optional.of(Files.readSymbolicLink(link)).filter(Path::isAbsolute);
        } catch (IOException othersOrOver) {
            return Optional.empty();
        }
    }

    /// Follows no link.
    private static void delete(Path directory) throws IOException {
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes facts) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path left, @Nullable IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.delete(left);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
