package dev.capsem.sandbox.bwrap.io;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// The directory of base templates, shared by processes. Every process that uses a template holds a shared lock
/// on it until it ends, so that one is only removed when no sandbox stands on it.
public final class TemplateStore {
    private static final String LOCK_SUFFIX = ".lock";

    /// Locks belong to the JVM, not to a thread: this keeps two of our own threads apart.
    private static final Object IN_THIS_JVM = new Object();

    /// Templates this JVM holds, each until the JVM ends.
    private static final ConcurrentHashMap<Path, FileChannel> HELD = new ConcurrentHashMap<>();

    private final Path directory;

    public TemplateStore(Path directory) {
        this.directory = directory;
    }

    /// The template of this stamp, held for the life of the JVM; made first when it is not there.
    ///
    /// @param make builds the template at the given path, atomically
    /// @param remove deletes a directory whatever is in it
    public Path hold(String stamp, Consumer<Path> make, Consumer<Path> remove) throws IOException {
        Path template = directory.resolve(stamp).toAbsolutePath();
        if (HELD.containsKey(template) && Files.exists(template.resolve("stamp"))) {
            return template;
        }
        synchronized (IN_THIS_JVM) {
            Files.createDirectories(directory);
            try (FileChannel channel = open(directory.resolve("lock"))) {
                channel.lock();
                if (!Files.exists(template.resolve("stamp"))) {
                    make.accept(template);
                }
                if (!HELD.containsKey(template)) {
                    FileChannel held = open(lockOf(template));
                    held.lock(0, Long.MAX_VALUE, true);
                    HELD.put(template, held);
                }
                removeUnused(remove);
            }
        }
        return template;
    }

    private void removeUnused(Consumer<Path> remove) throws IOException {
        List<Path> others = new ArrayList<>();
        try (Stream<Path> entries = Files.list(directory)) {
            entries.filter(Files::isDirectory)
                    .map(Path::toAbsolutePath)
                    .filter(entry -> !HELD.containsKey(entry))
                    .forEach(others::add);
        }
        for (Path other : others) {
            try (FileChannel channel = open(lockOf(other));
                    FileLock lock = channel.tryLock()) {
                if (lock != null) {
                    remove.accept(other);
                    Files.deleteIfExists(lockOf(other));
                }
            } catch (OverlappingFileLockException _) {
                // Another store of this JVM stands on it.
            }
        }
    }

    private static Path lockOf(Path template) {
        return template.resolveSibling(template.getFileName() + LOCK_SUFFIX);
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }
}
