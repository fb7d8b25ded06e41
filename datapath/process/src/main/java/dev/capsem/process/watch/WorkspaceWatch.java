package dev.capsem.process.watch;

import dev.capsem.events.row.FsRow;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;

/// Watches directory trees on the host and tells which files changed, in bursts.
public final class WorkspaceWatch implements AutoCloseable {
    /// inotify watches are a resource of the user, shared by all sandboxes; `node_modules` alone may have more.
    static final int DIRECTORIES_MAX = 4_096;

    private static final Duration QUIET = Duration.ofMillis(100);
    private static final Duration BURST_MAX = Duration.ofMillis(500);

    /// A tree to watch.
    ///
    /// @param guestPath what the guest calls its top
    /// @param lower if `top` is an overlay's upper directory: the directory below it, where files were before
    ///     they were changed. In an upper directory a deleted file shows as a device node.
    public record Tree(Path top, String guestPath, Optional<Path> lower) {}

    private record Watched(Tree tree, Path directory) {
        String guestPath(Path child) {
            Path relative = tree.top.relativize(child);
            return tree.guestPath + "/" + relative;
        }
    }

    private final WatchService service;
    private final InstantSource clock;
    private final BiConsumer<Instant, List<FsRow>> onChanges;
    private final LongConsumer onGaps;
    private final Map<WatchKey, Watched> directories = new HashMap<>();
    private final Map<String, Path> hostPaths = new HashMap<>();
    private final Changes changes = new Changes();
    private final KnownFiles known = new KnownFiles();
    private long gaps;

    /// @param onGaps told how many times changes may have been missed
    public WorkspaceWatch(
            WatchService service,
            InstantSource clock,
            BiConsumer<Instant, List<FsRow>> onChanges,
            LongConsumer onGaps) {
        this.service = service;
        this.clock = clock;
        this.onChanges = onChanges;
        this.onGaps = onGaps;
    }

    /// Runs until [#close()] or an interrupt. What is there at the beginning is not news.
    public void run(List<Tree> trees) {
        try {
            for (Tree tree : trees) {
                register(tree, tree.top, false);
            }
            while (true) {
                WatchKey first = service.take();
                long burstEnds = System.nanoTime() + BURST_MAX.toNanos();
                WatchKey key = first;
                while (key != null) {
                    read(key);
                    key = System.nanoTime() < burstEnds ? service.poll(QUIET.toMillis(), TimeUnit.MILLISECONDS) : null;
                }
                report();
            }
        } catch (ClosedWatchServiceException e) {
            report();
        } catch (InterruptedException e) {
            report();
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        try {
            service.close();
        } catch (IOException ignored) {
            // The descriptor is gone either way.
        }
    }

    private void read(WatchKey key) {
        Watched watched = directories.get(key);
        for (WatchEvent<?> event : key.pollEvents()) {
            if (StandardWatchEventKinds.OVERFLOW.equals(event.kind())) {
                gaps++;
            } else if (watched != null && event.context() instanceof Path name) {
                changed(watched, watched.directory.resolve(name), event.kind());
            }
        }
        if (!key.reset()) {
            directories.remove(key);
        }
    }

    private void changed(Watched watched, Path child, WatchEvent.Kind<?> kind) {
        if (StandardWatchEventKinds.ENTRY_DELETE.equals(kind)) {
            note(watched, child, FsRow.Action.DELETED);
            known.left(watched.guestPath(child));
            return;
        }
        boolean created = StandardWatchEventKinds.ENTRY_CREATE.equals(kind);
        Optional<BasicFileAttributes> found = attributes(child);
        if (found.isEmpty()) {
            // It came and went before we looked; the deletion that follows completes it.
            if (created) {
                note(watched, child, FsRow.Action.CREATED);
            }
            return;
        }
        BasicFileAttributes attributes = found.get();
        if (attributes.isDirectory()) {
            if (created) {
                register(watched.tree, child, true);
            }
        } else if (attributes.isOther()) {
            if (watched.tree.lower.isPresent() && created) {
                note(watched, child, FsRow.Action.DELETED);
                known.hidden(watched.guestPath(child));
            }
        } else {
            appeared(watched, child, created);
        }
    }

    /// A file that is renamed over another, or copied up in order to be written, is created for the file system; for
    /// people it is modified.
    private void appeared(Watched watched, Path child, boolean created) {
        boolean isNew = created && !known.existed(watched.guestPath(child)) && !wasBelow(watched, child);
        known.came(watched.guestPath(child));
        note(watched, child, isNew ? FsRow.Action.CREATED : FsRow.Action.MODIFIED);
    }

    private boolean wasBelow(Watched watched, Path child) {
        return watched.tree.lower.isPresent()
                && !known.isHidden(watched.guestPath(child))
                && attributes(watched.tree.lower.get().resolve(watched.tree.top.relativize(child)))
                        .filter(before -> !before.isDirectory())
                        .isPresent();
    }

    /// Watches a directory and all below it. Whatever appeared in a new directory before it was watched is found by
    /// looking after registering.
    private void register(Tree tree, Path top, boolean reportFiles) {
        Deque<Path> open = new ArrayDeque<>(List.of(top));
        while (!open.isEmpty()) {
            Path directory = open.pop();
            if (directories.size() >= DIRECTORIES_MAX) {
                gaps++;
                return;
            }
            Watched watched = new Watched(tree, directory);
            try {
                WatchKey key = directory.register(
                        service,
                        StandardWatchEventKinds.ENTRY_CREATE,
                        StandardWatchEventKinds.ENTRY_MODIFY,
                        StandardWatchEventKinds.ENTRY_DELETE);
                if (isElsewhere(tree, directory)) {
                    key.cancel();
                    continue;
                }
                directories.put(key, watched);
                look(watched, open, reportFiles);
            } catch (IOException | DirectoryIteratorException | SecurityException e) {
                gaps += Files.exists(directory, LinkOption.NOFOLLOW_LINKS) ? 1 : 0;
            }
        }
    }

    /// The guest may put a link to somewhere on the host in a directory's place after we looked: not ours to watch.
    private static boolean isElsewhere(Tree tree, Path directory) throws IOException {
        Path expected = tree.top.toRealPath().resolve(tree.top.relativize(directory));
        return !directory.toRealPath().equals(expected);
    }

    private void look(Watched watched, Deque<Path> open, boolean reportFiles) throws IOException {
        try (DirectoryStream<Path> children = Files.newDirectoryStream(watched.directory)) {
            for (Path child : children) {
                Optional<BasicFileAttributes> attributes = attributes(child);
                if (attributes.isEmpty()) {
                    continue;
                }
                if (attributes.get().isDirectory()) {
                    open.push(child);
                } else if (attributes.get().isOther()) {
                    known.hidden(watched.guestPath(child));
                } else if (reportFiles) {
                    appeared(watched, child, true);
                } else {
                    known.came(watched.guestPath(child));
                }
            }
        }
    }

    private void note(Watched watched, Path child, FsRow.Action action) {
        String path = watched.guestPath(child);
        changes.add(path, action);
        if (hostPaths.size() < Changes.PATHS_MAX) {
            hostPaths.put(path, child);
        }
    }

    private void report() {
        if (!changes.isEmpty()) {
            onChanges.accept(clock.instant(), changes.take(clock.instant(), this::size));
        }
        hostPaths.clear();
        long missed = gaps + changes.takeMissed();
        gaps = 0;
        if (missed > 0) {
            onGaps.accept(missed);
        }
    }

    private OptionalLong size(String guestPath) {
        Path path = hostPaths.get(guestPath);
        Optional<BasicFileAttributes> attributes = path == null ? Optional.empty() : attributes(path);
        return attributes.isPresent() ? OptionalLong.of(attributes.get().size()) : OptionalLong.empty();
    }

    private static Optional<BasicFileAttributes> attributes(Path path) {
        try {
            return Optional.of(Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS));
        } catch (IOException | InvalidPathException e) {
            return Optional.empty();
        }
    }
}
