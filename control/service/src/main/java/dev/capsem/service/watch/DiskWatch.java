package dev.capsem.service.watch;

import dev.capsem.sandbox.LayerUse;
import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.sandbox.SandboxException;
import dev.capsem.sandbox.SandboxHandle;
import dev.capsem.sandbox.SandboxHandleJson;
import dev.capsem.sandbox.room.FilesystemRoom;
import dev.capsem.service.limits.DiskFloor;
import dev.capsem.service.limits.DiskQuota;
import dev.capsem.service.limits.Gauge;
import dev.capsem.service.registry.SandboxFacts;
import dev.capsem.service.table.Instance;
import dev.capsem.service.table.Sandbox;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.io.TaskScope;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Stops a sandbox whose files pass its quota, and the one that wrote most when the disk of all runs short. At each
/// beat one system call; layers are walked only when enough went missing, or rarely.
public final class DiskWatch {
    private static final Logger LOG = LoggerFactory.getLogger(DiskWatch.class);
    private static final long MEGABYTE = 1_048_576;
    private static final Duration SLOW_BEAT = Duration.ofMinutes(5);
    /// A profile that was changed counts after this.
    private static final Duration QUOTAS_HOLD = Duration.ofSeconds(2);

    private static final Duration FIRST_LOOK = Duration.ofSeconds(10);
    /// So many walks at once, whatever their number: they cost the disk that everybody needs.
    private static final int WALKS_MAX = 2;
    /// A sandbox that wrote less since the disk ran short is not the cause.
    private static final long WRITTEN_MIN = 8 * MEGABYTE;

    private static final long FILES_MIN = 1_000;

    private final SandboxDriver driver;
    private final DiskFloor floor;
    private final Function<SandboxFacts, DiskQuota> quotas;
    private final LimitStops stops;
    private final TaskScope background;

    private final Gauge<SandboxId> bytes = new Gauge<>(SLOW_BEAT, FIRST_LOOK, MEGABYTE);
    private final Gauge<SandboxId> files = new Gauge<>(SLOW_BEAT, FIRST_LOOK, FILES_MIN);
    private final Map<SandboxId, LayerUse> uses = new ConcurrentHashMap<>();
    private final Map<SandboxId, Boolean> walked = new ConcurrentHashMap<>();
    private final Semaphore walks = new Semaphore(WALKS_MAX);
    private final DiskSearch search;

    // Only the thread of the beats touches these.
    private final Map<SandboxId, AtAlert> atAlert = new HashMap<>();
    private final Map<String, DiskQuota> quotaOfProfile = new HashMap<>();
    private long quotasReadAt;
    private long actBelowBytes = Long.MAX_VALUE;
    private long actBelowFiles = Long.MAX_VALUE;

    /// What was known of a sandbox when the disk began to run short: what it wrote later is counted from here.
    private record AtAlert(long written, long bytes) {
        static final AtAlert UNKNOWN = new AtAlert(0, 0);
    }

    public DiskWatch(
            SandboxDriver driver,
            DiskFloor floor,
            Function<SandboxFacts, DiskQuota> quotas,
            LimitStops stops,
            TaskScope background) {
        this.driver = driver;
        this.floor = floor;
        this.quotas = quotas;
        this.stops = stops;
        this.background = background;
        this.search = new DiskSearch(background, System::nanoTime);
    }

    FilesystemRoom room() throws IOException {
        return floor.room();
    }

    /// The last measurement, if there was one.
    public Optional<LayerUse> useOf(SandboxId id) {
        return Optional.ofNullable(uses.get(id));
    }

    /// Never waits for a walk.
    ///
    /// @param running those whose processes run
    void beat(FilesystemRoom room, List<Sandbox> running, long nowMillis) {
        bytes.left(room.bytesFree());
        files.left(room.filesFree());
        List<SandboxId> ids = running.stream().map(Sandbox::id).toList();
        bytes.keep(ids);
        files.keep(ids);
        uses.keySet().retainAll(ids);
        if (nowMillis - quotasReadAt >= QUOTAS_HOLD.toMillis()) {
            quotaOfProfile.clear();
            quotasReadAt = nowMillis;
        }
        // Before any walk begins: a walk that ends at once would take what was written just now for known.
        noteAlert(room, running);
        for (Sandbox sandbox : running) {
            DiskQuota quota =
                    quotaOfProfile.computeIfAbsent(sandbox.facts().profileId(), _ -> quotas.apply(sandbox.facts()));
            // Both are asked: each takes note of who is new.
            boolean bytesDue = bytes.isDue(sandbox.id(), quota.bytes(), nowMillis);
            boolean filesDue = files.isDue(sandbox.id(), quota.files(), nowMillis);
            if ((bytesDue || filesDue) && !stops.isStopping(sandbox.id())) {
                beginWalk(sandbox, quota);
            }
        }
        watchBytes(room, running);
        watchFiles(room, running);
    }

    private void beginWalk(Sandbox sandbox, DiskQuota quota) {
        if (walked.putIfAbsent(sandbox.id(), true) != null) {
            return;
        }
        if (!walks.tryAcquire()) {
            walked.remove(sandbox.id());
            return;
        }
        background.start(() -> {
            try {
                walk(sandbox, quota);
            } finally {
                walks.release();
                walked.remove(sandbox.id());
            }
        });
    }

    private void walk(Sandbox sandbox, DiskQuota quota) {
        long began = System.nanoTime();
        long bytesGone = bytes.gone();
        long filesGone = files.gone();
        LayerUse use = useOf(sandbox.id()).orElse(LayerUse.NOTHING);
        try {
            use = driver.layersOf(
                    sandbox.facts().sessionDir(),
                    handle(sandbox),
                    found -> quota.passedBy(found).isPresent());
            uses.put(sandbox.id(), use);
        } catch (SandboxException e) {
            LOG.warn("the files of {} could not be measured: {}", sandbox.id(), e.getMessage());
        }
        long now = System.nanoTime();
        long took = (now - began) / 1_000_000;
        bytes.measured(sandbox.id(), use.bytes(), bytesGone, now / 1_000_000, took);
        files.measured(sandbox.id(), use.files(), filesGone, now / 1_000_000, took);
        String remedy = quotaRemedy(sandbox, DiskQuota.neededBy(use));
        quota.passedBy(use).ifPresent(reason -> stops.begin(sandbox, "sandbox.quota", reason, remedy));
    }

    private static String quotaRemedy(Sandbox sandbox, DiskQuota needed) {
        String more = "set disk_mb above " + needed.megabytes() + " under [vm] in the profile "
                + sandbox.facts().profileId();
        return sandbox.persistent() ? more + ", then `capsem resume " + sandbox.id() + "`" : more;
    }

    private void noteAlert(FilesystemRoom room, List<Sandbox> running) {
        if (!floor.isNear(room)) {
            atAlert.clear();
            return;
        }
        for (Sandbox sandbox : running) {
            atAlert.computeIfAbsent(
                    sandbox.id(),
                    id -> new AtAlert(
                            driver.writtenBy(handle(sandbox)),
                            useOf(id).orElse(LayerUse.NOTHING).bytes()));
        }
    }

    private void watchBytes(FilesystemRoom room, List<Sandbox> running) {
        long min = floor.bytesMin(room);
        if (room.bytesFree() >= min) {
            actBelowBytes = min;
        } else if (room.bytesFree() < actBelowBytes && stopsWriter(room, going(running))) {
            // Looks again, and stops the next, only when still more is gone.
            actBelowBytes = room.bytesFree() - Math.max(MEGABYTE, min / 8);
        }
    }

    private List<Sandbox> going(List<Sandbox> running) {
        return running.stream()
                .filter(sandbox -> !stops.isStopping(sandbox.id()))
                .toList();
    }

    /// @return whether somebody is stopped, or will be when a search is over
    private boolean stopsWriter(FilesystemRoom room, List<Sandbox> running) {
        Map<SandboxId, Long> written = new HashMap<>();
        running.forEach(sandbox -> written.put(sandbox.id(), writtenSince(sandbox)));
        Optional<Sandbox> most =
                running.stream().max(Comparator.comparing(sandbox -> written.getOrDefault(sandbox.id(), 0L)));
        if (most.isPresent() && written.getOrDefault(most.get().id(), 0L) >= WRITTEN_MIN) {
            stopWriter(room, most.get());
            return true;
        }
        // Not every filesystem counts what a process writes. The search is on another thread: it gets a copy.
        Map<SandboxId, AtAlert> before = Map.copyOf(atAlert);
        return search.begin(
                running,
                WRITTEN_MIN,
                sandbox -> layers(sandbox).bytes()
                        - before.getOrDefault(sandbox.id(), AtAlert.UNKNOWN).bytes(),
                found -> found.ifPresentOrElse(
                        sandbox -> stopWriter(room, sandbox),
                        () -> LOG.warn(
                                "the disk has only {} MB left, and no sandbox is why; free some room on it",
                                room.bytesFree() / MEGABYTE)));
    }

    private void stopWriter(FilesystemRoom room, Sandbox sandbox) {
        stops.begin(
                sandbox,
                "sandbox.disk_full",
                "stopped: the disk has only " + room.bytesFree() / MEGABYTE + " MB left, and it wrote most",
                roomRemedy(sandbox));
    }

    private LayerUse layers(Sandbox sandbox) {
        return driver.layersOf(sandbox.facts().sessionDir(), handle(sandbox));
    }

    private long writtenSince(Sandbox sandbox) {
        return driver.writtenBy(handle(sandbox))
                - atAlert.getOrDefault(sandbox.id(), AtAlert.UNKNOWN).written();
    }

    private void watchFiles(FilesystemRoom room, List<Sandbox> running) {
        long min = floor.filesMin(room);
        if (room.filesFree() >= min) {
            actBelowFiles = min;
        } else if (room.filesFree() < actBelowFiles
                && search.begin(
                        going(running),
                        FILES_MIN,
                        sandbox -> layers(sandbox).files(),
                        found -> found.ifPresent(sandbox -> stopHolder(room, sandbox)))) {
            actBelowFiles = room.filesFree() - Math.max(1, min / 8);
        }
    }

    private void stopHolder(FilesystemRoom room, Sandbox sandbox) {
        stops.begin(
                sandbox,
                "sandbox.disk_full",
                "stopped: the disk can take only " + room.filesFree() + " more files, and it has most",
                roomRemedy(sandbox));
    }

    private static String roomRemedy(Sandbox sandbox) {
        String free = "free some room, for example by `capsem purge`";
        return sandbox.persistent() ? free + ", then `capsem resume " + sandbox.id() + "`" : free;
    }

    /// Requires: it runs.
    public static SandboxHandle handle(Sandbox sandbox) {
        return SandboxHandleJson.read(
                sandbox.instance().flatMap(Instance::handle).orElseThrow());
    }
}
