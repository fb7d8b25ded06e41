package dev.capsem.service.sandboxes;

import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.sandbox.SandboxException;
import dev.capsem.sandbox.room.FilesystemRoom;
import dev.capsem.service.limits.DiskFloor;
import dev.capsem.service.limits.Endings;
import dev.capsem.service.profiles.SessionPolicy;
import dev.capsem.service.registry.PersistentRegistry;
import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.service.StatusReply;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Everything about sandboxes, wired together: what `ServiceMain` opens before it serves and closes after.
public final class SandboxHost implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SandboxHost.class);
    private static final Duration SWEEP_EVERY = Duration.ofSeconds(5);

    private final TaskScope background;
    private final SandboxDriver driver;
    private final SpareProcesses spares;
    private final Adoption adoption;
    private final Sandboxes sandboxes;
    private final Commands commands;
    private final Summaries summaries;
    private final Activities activities;
    private final LiveEvents liveEvents;
    private final IpcDrops drops;
    private final SandboxChanges changes;
    private final DiskFloor floor;
    private final LimitWatch limits;

    /// What the host, or a test, provides.
    ///
    /// @param userId who the sandboxes belong to
    /// @param bootId changes with every boot of the machine
    /// @param heapBytesMax of this JVM: bounds what commands may keep in memory together
    public record Surroundings(
            HomeLayout layout,
            ServiceSettings settings,
            SandboxDriver driver,
            PersistentRegistry registry,
            SessionLedger ledger,
            ProcessDoor door,
            ProcessStarter starter,
            Clock clock,
            RandomGenerator random,
            String version,
            String userId,
            String bootId,
            long heapBytesMax,
            SessionPolicy policy) {}

    public SandboxHost(Surroundings around) {
        HomeLayout layout = around.layout;
        driver = around.driver;
        background = new TaskScope("sandboxes", (thread, e) -> {
            // Whoever records panics is told as well.
            thread.getThreadGroup().uncaughtException(thread, e);
            LOG.error("a background task failed", e);
        });
        var endings = new Endings();
        drops = new IpcDrops(endings);
        floor = new DiskFloor(layout.runDir(), around.settings.diskFreeMb());
        changes = new SandboxChanges();
        var table = new SandboxTable(around.settings.sandboxesMax());
        spares = new SpareProcesses(
                around.starter, around.door, new SpareSockets(layout, around.random), around.settings, background);
        var instances = new Instances(
                layout,
                around.driver,
                around.door,
                around.starter,
                spares,
                drops,
                around.clock,
                around.random,
                new Instances.Identity(around.userId, around.bootId));
        var remains = new Remains(
                layout, around.driver, around.registry, around.ledger, table, instances, changes, background);
        adoption = new Adoption(
                layout,
                around.registry,
                table,
                instances,
                spares,
                remains,
                around.door,
                around.starter,
                around.version);
        sandboxes = new Sandboxes(new Sandboxes.Parts(
                layout,
                around.driver,
                around.registry,
                around.ledger,
                table,
                instances,
                spares,
                remains,
                around.settings,
                around.clock,
                around.random,
                around.version,
                changes,
                around.policy,
                floor,
                endings));
        activities = new Activities(sandboxes::changesOf, background);
        changes.add((sandbox, what) -> {
            if (what.equals("resumed")) {
                activities.changed(sandbox.facts());
            }
        });
        commands = new Commands(
                sandboxes, around.door, drops, background, KeptOutput.Budget.ofHeap(around.heapBytesMax), activities);
        var stops =
                new LimitStops(table, instances, remains, around.registry, around.ledger, changes, endings, background);
        var disk = new DiskWatch(around.driver, floor, sandboxes::quotaOf, stops, background);
        limits = new LimitWatch(
                table, disk, new MemoryWatch(around.driver, stops, background, Path.of("/proc/meminfo")));
        summaries = new Summaries(sandboxes, instances, activities, disk, around.clock, around.userId);
        liveEvents = new LiveEvents(sandboxes, around.door, changes, around.clock);
    }

    /// Adopts what an earlier service left.
    public void open() {
        adoption.atStart();
    }

    /// Background preparation: spare process, base template, periodic sweep. It begins once the first request can come
    /// in, because all of it costs the same cores.
    public void warmUp() {
        spares.refill();
        background.start(this::prepareHost);
        background.start(this::keepWatch);
        background.start(limits);
    }

    /// The first sandbox should not wait for what all of them share.
    private void prepareHost() {
        try {
            if (sandboxes.hostProblems().isEmpty()) {
                driver.prepareHost();
            }
        } catch (SandboxException e) {
            LOG.warn("the host could not be prepared: {}", e.getMessage());
        }
    }

    private void keepWatch() {
        try {
            while (true) {
                Thread.sleep(SWEEP_EVERY);
                adoption.sweep();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// What all sandboxes share and runs short.
    public Optional<StatusReply.Problem> shortage() {
        return floor.problem();
    }

    /// One look at what sandboxes take; they are taken by themselves after [#warmUp].
    void watchLimits(long nowMillis) {
        limits.beat(nowMillis);
    }

    /// The same with a disk that has so much room.
    void watchLimits(long nowMillis, FilesystemRoom room) {
        limits.beat(nowMillis, () -> room);
    }

    public Sandboxes sandboxes() {
        return sandboxes;
    }

    public Commands commands() {
        return commands;
    }

    public Summaries summaries() {
        return summaries;
    }

    public Activities activities() {
        return activities;
    }

    public LiveEvents liveEvents() {
        return liveEvents;
    }

    /// For whoever must know what becomes of sandboxes.
    public SandboxChanges changes() {
        return changes;
    }

    public IpcDrops drops() {
        return drops;
    }

    public int sparesWanted() {
        return spares.wanted();
    }

    public int sparesReady() {
        return spares.readyNow();
    }

    /// Ends the spares; sandboxes go on.
    @Override
    public void close() {
        spares.close();
        background.close();
        adoption.strangers();
    }
}
