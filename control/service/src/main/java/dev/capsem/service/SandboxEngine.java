package dev.capsem.service;

import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.sandbox.SandboxException;
import dev.capsem.sandbox.room.FilesystemRoom;
import dev.capsem.service.commands.Commands;
import dev.capsem.service.commands.KeptOutput;
import dev.capsem.service.limits.DiskFloor;
import dev.capsem.service.limits.Endings;
import dev.capsem.service.limits.ServiceSettings;
import dev.capsem.service.processes.Instances;
import dev.capsem.service.processes.IpcDrops;
import dev.capsem.service.processes.ProcessConnector;
import dev.capsem.service.processes.ProcessStarter;
import dev.capsem.service.processes.SpareProcesses;
import dev.capsem.service.processes.SpareSockets;
import dev.capsem.service.profiles.SessionPolicy;
import dev.capsem.service.recovery.Recovery;
import dev.capsem.service.recovery.SessionCleanup;
import dev.capsem.service.registry.PersistentRegistry;
import dev.capsem.service.sandboxes.SandboxDependencies;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.service.table.Activities;
import dev.capsem.service.table.SandboxChanges;
import dev.capsem.service.table.SandboxTable;
import dev.capsem.service.table.SessionLedger;
import dev.capsem.service.views.SandboxEvents;
import dev.capsem.service.views.SandboxViews;
import dev.capsem.service.watch.DiskWatch;
import dev.capsem.service.watch.LimitStops;
import dev.capsem.service.watch.LimitWatch;
import dev.capsem.service.watch.MemoryWatch;
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
public final class SandboxEngine implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SandboxEngine.class);
    private static final Duration SWEEP_EVERY = Duration.ofSeconds(5);

    private final TaskScope background;
    private final SandboxDriver driver;
    private final SpareProcesses spares;
    private final Recovery recovery;
    private final Sandboxes sandboxes;
    private final Commands commands;
    private final SandboxViews views;
    private final Activities activities;
    private final SandboxEvents liveEvents;
    private final IpcDrops drops;
    private final SandboxChanges changes;
    private final DiskFloor floor;
    private final LimitWatch limits;

    /// The parts that the host, or a test, provides.
    ///
    /// @param userHome never shown to a sandbox as a whole
    /// @param userId who the sandboxes belong to
    /// @param bootId changes with every boot of the machine
    /// @param heapBytesMax of this JVM: bounds what commands may keep in memory together
    public record Surroundings(
            HomeLayout layout,
            Path userHome,
            ServiceSettings settings,
            SandboxDriver driver,
            PersistentRegistry registry,
            SessionLedger ledger,
            ProcessConnector connector,
            ProcessStarter starter,
            Clock clock,
            RandomGenerator random,
            String version,
            String userId,
            String bootId,
            long heapBytesMax,
            SessionPolicy policy) {}

    public SandboxEngine(Surroundings around) {
        HomeLayout layout = around.layout;
        ProcessConnector connector = around.connector;
        PersistentRegistry registry = around.registry;
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
                around.starter, connector, new SpareSockets(layout, around.random), around.settings, background);
        var instances = new Instances(
                layout,
                driver,
                connector,
                around.starter,
                spares,
                drops,
                around.clock,
                around.random,
                new Instances.Identity(around.userId, around.bootId));
        var cleanup =
                new SessionCleanup(layout, driver, registry, around.ledger, table, instances, changes, background);
        recovery = new Recovery(
                layout, registry, table, instances, spares, cleanup, connector, around.starter, around.version);
        sandboxes = new Sandboxes(new SandboxDependencies(
                layout,
                around.userHome,
                driver,
                registry,
                around.ledger,
                table,
                instances,
                spares,
                cleanup,
                around.settings,
                around.clock,
                around.random,
                around.version,
                changes,
                around.policy,
                floor,
                endings));
        activities = new Activities(sandboxes.projects()::changesOf, background);
        changes.add((sandbox, what) -> {
            if (what.equals("resumed")) {
                activities.changed(sandbox.facts());
            }
        });
        commands = new Commands(
                sandboxes, connector, drops, background, KeptOutput.Budget.ofHeap(around.heapBytesMax), activities);
        var stops = new LimitStops(table, instances, cleanup, registry, around.ledger, changes, endings, background);
        var disk = new DiskWatch(driver, floor, sandboxes::quotaOf, stops, background);
        limits = new LimitWatch(table, disk, new MemoryWatch(driver, stops, background, Path.of("/proc/meminfo")));
        views = new SandboxViews(sandboxes, instances, activities, disk, around.clock, around.userId);
        liveEvents = new SandboxEvents(sandboxes, connector, changes, around.clock);
    }

    /// Adopts what an earlier service left.
    public void open() {
        recovery.atStart();
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
            if (sandboxes.fitness().problems().isEmpty()) {
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
                recovery.sweep();
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

    public SandboxViews views() {
        return views;
    }

    public Activities activities() {
        return activities;
    }

    public SandboxEvents liveEvents() {
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
        recovery.strangers();
    }
}
