package dev.capsem.service.recovery;

import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.sandbox.SandboxException;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.processes.Instances;
import dev.capsem.service.processes.ProcessStarter;
import dev.capsem.service.registry.PersistentRegistry;
import dev.capsem.service.registry.SandboxFacts;
import dev.capsem.service.table.Instance;
import dev.capsem.service.table.Sandbox;
import dev.capsem.service.table.SandboxChanges;
import dev.capsem.service.table.SandboxTable;
import dev.capsem.service.table.SessionFiles;
import dev.capsem.service.table.SessionLedger;
import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.io.TaskScope;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What happens to a sandbox whose process died, and to directories nobody needs any more.
public final class SessionCleanup {
    private static final Logger LOG = LoggerFactory.getLogger(SessionCleanup.class);
    private static final int SETTLE_TRIES_MAX = 40;
    private static final Duration SETTLE_PAUSE = Duration.ofMillis(25);
    /// Enough to look into a bad night; older ones go.
    static final int FAILED_KEPT_MAX = 32;

    private static final Pattern FAILED = Pattern.compile(".*-failed-[0-9a-f]{8}");

    private final HomeLayout layout;
    private final SandboxDriver driver;
    private final PersistentRegistry registry;
    private final SessionLedger ledger;
    private final SandboxTable table;
    private final Instances instances;
    private final SandboxChanges changes;
    private final TaskScope background;

    public SessionCleanup(
            HomeLayout layout,
            SandboxDriver driver,
            PersistentRegistry registry,
            SessionLedger ledger,
            SandboxTable table,
            Instances instances,
            SandboxChanges changes,
            TaskScope background) {
        this.layout = layout;
        this.driver = driver;
        this.registry = registry;
        this.ledger = ledger;
        this.table = table;
        this.instances = instances;
        this.changes = changes;
        this.background = background;
    }

    /// Notices the process's end, whenever it comes.
    public void watch(ProcessStarter.Child child, long pid) {
        var _ = child.exited().thenRun(() -> {
            if (!background.isClosed()) {
                background.start(() -> processEnded(pid));
            }
        });
    }

    /// The process is gone. By pid, because a sandbox may have been renamed meanwhile; nothing happens when
    /// somebody stopped it on purpose.
    void processEnded(long pid) {
        for (Sandbox sandbox : table.all()) {
            if (hasPid(sandbox, pid)) {
                try {
                    table.change(sandbox.id(), slot -> {
                        if (hasPid(slot.sandbox(), pid)) {
                            crashed(slot);
                        }
                        return slot;
                    });
                } catch (ServiceProblem e) {
                    LOG.debug("{} went away by itself", sandbox.id());
                }
            }
        }
    }

    /// [#settle] for one that was lost a moment ago: its process may need some more moments to notice.
    public void settleSoon(Sandbox seen) {
        try {
            for (int i = 0; i < SETTLE_TRIES_MAX && !settle(seen); i++) {
                Thread.sleep(SETTLE_PAUSE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Somebody found that the sandbox is over: makes the table say so before the caller goes on. Returns whether
    /// it was.
    public boolean settle(Sandbox seen) {
        Optional<Instance> instance = seen.instance();
        if (instance.isEmpty() || !(instances.look(instance.get()) instanceof Instances.Look.Over)) {
            return false;
        }
        instances.awaitEnd(instance.get());
        processEnded(instance.get().pid());
        return true;
    }

    private static boolean hasPid(Sandbox sandbox, long pid) {
        return sandbox.instance()
                .map(Instance::pid)
                .filter(known -> known == pid)
                .isPresent();
    }

    private void crashed(SandboxTable.Slot slot) {
        Sandbox sandbox = slot.sandbox();
        LOG.atWarn()
                .addKeyValue("event", "sandbox.crashed")
                .addKeyValue("sandbox", sandbox.id().value())
                .addKeyValue("pid", sandbox.instance().map(Instance::pid).orElse(0L))
                .log("the process of {} ended unexpectedly", sandbox.id());
        bury(sandbox);
        if (sandbox.persistent()) {
            slot.set(Sandbox.registered(registry.find(sandbox.id()).orElse(sandbox.facts())));
        } else {
            table.remove(slot);
        }
        changes.happened(sandbox, "crashed");
    }

    /// Cleans up after a dead instance: roll-up, then Defunct or a kept directory.
    void bury(Sandbox sandbox) {
        SandboxFacts facts = sandbox.facts();
        sandbox.instance().ifPresent(instance -> instances.release(facts.sessionDir(), instance));
        ledger.ended(sandbox.id(), facts.sessionDir(), SessionLedger.End.CRASHED);
        if (sandbox.persistent()) {
            String tail = Instances.logTail(facts.sessionDir());
            registry.put(facts.defunct(tail.isBlank() ? "its process ended and left no log" : tail));
        } else {
            keepFailed(sandbox.id(), facts.sessionDir());
        }
    }

    /// Keeps the directory for whoever wants to know why, under a name that is no sandbox's.
    public void keepFailed(SandboxId id, Path sessionDir) {
        if (!Files.isDirectory(sessionDir, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        SessionFiles.deleteInstance(sessionDir);
        move(sessionDir, layout.sessionsDir().resolve(id.value() + "-failed-" + instances.token()));
        List<Path> kept = SessionFiles.children(layout.sessionsDir()).stream()
                .filter(SessionCleanup::isFailed)
                .toList();
        SessionFiles.beyondNewest(kept, FAILED_KEPT_MAX).forEach(this::trash);
    }

    static boolean isFailed(Path directory) {
        return FAILED.matcher(directory.getFileName().toString()).matches()
                && !Files.exists(directory.resolve(Instance.FILE_NAME));
    }

    /// The directory that a crashed sandbox of this name left last.
    public static List<Path> failedOf(String id, Path sessionsDir) {
        return SessionFiles.children(sessionsDir).stream()
                .filter(SessionCleanup::isFailed)
                .filter(path -> path.getFileName().toString().startsWith(id + "-failed-"))
                .toList();
    }

    /// Out of sight at once, off the disk in the background: a guest may have left a million files.
    public void trash(Path directory) {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        SessionFiles.createPrivate(trashDir());
        Path target = trashDir().resolve(instances.token());
        move(directory, target);
        background.start(() -> remove(target));
    }

    private Path trashDir() {
        return layout.runDir().resolve("trash");
    }

    void emptyTrash() {
        SessionFiles.children(trashDir()).forEach(leftover -> background.start(() -> remove(leftover)));
    }

    private void remove(Path directory) {
        try {
            driver.removeSession(directory);
        } catch (SandboxException e) {
            LOG.warn("{} could not be removed: {}", directory, e.getMessage());
        }
    }

    private static void move(Path from, Path to) {
        try {
            Files.move(from, to);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
