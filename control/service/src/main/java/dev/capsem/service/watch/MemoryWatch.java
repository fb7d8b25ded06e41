package dev.capsem.service.watch;

import dev.capsem.sandbox.Abilities.MemoryLimit;
import dev.capsem.sandbox.MemoryUse;
import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.service.limits.Gauge;
import dev.capsem.service.table.Sandbox;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.io.TaskScope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Where the kernel limits nobody's memory as a whole: ends the largest process of a sandbox that takes more than its
/// share, and the sandbox when that does not help. Looks at processes only when the host's memory goes missing, or
/// every few seconds.
public final class MemoryWatch {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryWatch.class);
    private static final long MEGABYTE = 1_048_576;
    private static final Duration SLOW_BEAT = Duration.ofSeconds(5);
    private static final Duration FIRST_LOOK = Duration.ofSeconds(2);
    /// A sandbox that is over its limit this often in a row, although its largest process was ended each time,
    /// is stopped.
    private static final int TIMES_MAX = 3;

    private static final String AVAILABLE = "MemAvailable:";

    private final SandboxDriver driver;
    private final LimitStops stops;
    private final TaskScope background;
    private final Path memoryFile;

    private final Gauge<SandboxId> gauge = new Gauge<>(SLOW_BEAT, FIRST_LOOK, 8 * MEGABYTE);
    private final Map<SandboxId, Boolean> measured = new ConcurrentHashMap<>();
    private final Map<SandboxId, Integer> over = new ConcurrentHashMap<>();

    /// @param memoryFile `/proc/meminfo`
    public MemoryWatch(SandboxDriver driver, LimitStops stops, TaskScope background, Path memoryFile) {
        this.driver = driver;
        this.stops = stops;
        this.background = background;
        this.memoryFile = memoryFile;
    }

    void beat(List<Sandbox> running, long nowMillis) throws IOException {
        if (running.isEmpty() || driver.abilities().memoryLimit() != MemoryLimit.WATCHED) {
            return;
        }
        gauge.left(available());
        List<SandboxId> ids = running.stream().map(Sandbox::id).toList();
        gauge.keep(ids);
        over.keySet().retainAll(ids);
        for (Sandbox sandbox : running) {
            boolean isDue = gauge.isDue(sandbox.id(), limit(sandbox), nowMillis) && !stops.isStopping(sandbox.id());
            if (isDue && measured.putIfAbsent(sandbox.id(), true) == null) {
                background.start(() -> {
                    try {
                        measure(sandbox);
                    } finally {
                        measured.remove(sandbox.id());
                    }
                });
            }
        }
    }

    private void measure(Sandbox sandbox) {
        long began = System.nanoTime();
        long gone = gauge.gone();
        MemoryUse use = driver.memoryOf(DiskWatch.handle(sandbox));
        long now = System.nanoTime();
        gauge.measured(sandbox.id(), use.bytes(), gone, now / 1_000_000, (now - began) / 1_000_000);
        if (use.bytes() <= limit(sandbox)) {
            over.remove(sandbox.id());
            return;
        }
        int megabytes = sandbox.facts().limits().memoryMb();
        int times = over.merge(sandbox.id(), 1, Integer::sum);
        if (times <= TIMES_MAX && driver.endLargest(DiskWatch.handle(sandbox), use)) {
            LOG.atWarn()
                    .addKeyValue("event", "sandbox.memory")
                    .addKeyValue("sandbox", sandbox.id().value())
                    .log(
                            "{}: its memory passed {} MB, so its largest process was ended; `--ram` gives more",
                            sandbox.id(),
                            megabytes);
        } else {
            stops.begin(
                    sandbox,
                    "sandbox.memory",
                    "stopped: its memory passed " + megabytes + " MB",
                    "give a new one more: `capsem create --ram " + 2 * megabytes + "`");
        }
    }

    private static long limit(Sandbox sandbox) {
        return sandbox.facts().limits().memoryMb() * MEGABYTE;
    }

    private long available() throws IOException {
        return Files.readString(memoryFile)
                .lines()
                .filter(line -> line.startsWith(AVAILABLE))
                .map(line -> line.substring(AVAILABLE.length()).strip().split(" ")[0])
                .mapToLong(kilobytes -> Long.parseLong(kilobytes) * 1_024)
                .findFirst()
                .orElseThrow(() -> new IOException(memoryFile + " has no " + AVAILABLE));
    }
}
