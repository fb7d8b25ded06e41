package dev.capsem.sandbox.bwrap.io;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// What the processes of a sandbox hold and wrote, as /proc tells of each.
public final class TreeFiles {
    /// How many descriptors of one process are looked at: as many as a guest may have.
    private static final int DESCRIPTORS_MAX = 65_536;

    /// A guest can hold millions. What was found by then counts, and the next search may begin.
    private static final Duration SEARCH_TIME_MAX = Duration.ofSeconds(3);

    private static final String MEMORY_FILE = "/memfd:";
    private static final String GONE = " (deleted)";

    private final ProcessTable processes;
    private final Path proc;
    private final LongSupplier nanoTime;

    public TreeFiles(ProcessTable processes, Path proc) {
        this(processes, proc, System::nanoTime);
    }

    TreeFiles(ProcessTable processes, Path proc, LongSupplier nanoTime) {
        this.processes = processes;
        this.proc = proc;
        this.nanoTime = nanoTime;
    }

    /// Bytes that went to disk, less those whose files were gone before. A process hands its count to who waits for
    /// it, so that nothing is lost when it ends.
    public long written(List<Long> pids) {
        return pids.stream().mapToLong(this::written).sum();
    }

    private long written(long pid) {
        return processes
                .line(pid + "/io")
                .map(text -> Math.max(0, number(text, "write_bytes:") - number(text, "cancelled_write_bytes:")))
                .orElse(0L);
    }

    /// Files on disk that no name leads to any more: they take room that no walk of a directory finds.
    public long unlinked(List<Long> pids) {
        return sum(pids, link -> link.endsWith(GONE) && !link.startsWith(MEMORY_FILE) && link.startsWith("/"));
    }

    /// Files in memory that are in no filesystem; each counts once, whoever holds it.
    public long memoryFiles(List<Long> pids) {
        return sum(pids, link -> link.startsWith(MEMORY_FILE));
    }

    private long sum(List<Long> pids, Predicate<String> chosen) {
        Map<String, Long> byFile = new HashMap<>();
        long began = nanoTime.getAsLong();
        for (long pid : pids) {
            if (nanoTime.getAsLong() - began > SEARCH_TIME_MAX.toNanos()) {
                break;
            }
            try (Stream<Path> descriptors = Files.list(proc.resolve(pid + "/fd"))) {
                descriptors
                        .limit(DESCRIPTORS_MAX)
                        .filter(file -> link(file).filter(chosen).isPresent())
                        .map(file -> StatNative.of(file.toString()))
                        .flatMap(Optional::stream)
                        .forEach(file -> byFile.put(file.id(), file.bytes()));
            } catch (IOException | UncheckedIOException _) {
                // It ended meanwhile, and holds nothing.
            }
        }
        return byFile.values().stream().mapToLong(Long::longValue).sum();
    }

    private static Optional<String> link(Path descriptor) {
        try {
            return Optional.of(Files.readSymbolicLink(descriptor).toString());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    static long number(String text, String name) {
        return text.lines()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).strip().split(" ")[0])
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElse(0);
    }
}
