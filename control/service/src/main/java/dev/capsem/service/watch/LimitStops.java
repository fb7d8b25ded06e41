package dev.capsem.service.watch;

import dev.capsem.sandbox.SandboxException;
import dev.capsem.service.limits.Endings;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.processes.Instances;
import dev.capsem.service.recovery.SessionCleanup;
import dev.capsem.service.registry.PersistentRegistry;
import dev.capsem.service.registry.SandboxFacts;
import dev.capsem.service.table.Instance;
import dev.capsem.service.table.Sandbox;
import dev.capsem.service.table.SandboxChanges;
import dev.capsem.service.table.SandboxTable;
import dev.capsem.service.table.SessionLedger;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.ipc.ServiceMessage;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Stops sandboxes that passed a limit, at once, and keeps what they have: a persistent one can be resumed, of a
/// temporary one the directory stays as after a crash. Says why to everybody who asks.
public final class LimitStops {
    private static final Logger LOG = LoggerFactory.getLogger(LimitStops.class);

    private final SandboxTable table;
    private final Instances instances;
    private final SessionCleanup cleanup;
    private final PersistentRegistry registry;
    private final SessionLedger ledger;
    private final SandboxChanges changes;
    private final Endings endings;
    private final TaskScope background;
    private final Set<SandboxId> stopping = ConcurrentHashMap.newKeySet();

    public LimitStops(
            SandboxTable table,
            Instances instances,
            SessionCleanup cleanup,
            PersistentRegistry registry,
            SessionLedger ledger,
            SandboxChanges changes,
            Endings endings,
            TaskScope background) {
        this.table = table;
        this.instances = instances;
        this.cleanup = cleanup;
        this.registry = registry;
        this.ledger = ledger;
        this.changes = changes;
        this.endings = endings;
        this.background = background;
    }

    boolean isStopping(SandboxId id) {
        return stopping.contains(id);
    }

    /// Returns at once; the watch goes on while one takes its time to end.
    ///
    /// @param event as in the log
    /// @param reason begins with `stopped:`
    void begin(Sandbox seen, String event, String reason, String remedy) {
        if (background.isClosed() || !stopping.add(seen.id())) {
            return;
        }
        endings.put(seen.id(), reason);
        LOG.atWarn()
                .addKeyValue("event", event)
                .addKeyValue("sandbox", seen.id().value())
                .log("{}: {}; {}", seen.id(), reason, remedy);
        background.start(() -> {
            try {
                stop(seen, reason, remedy);
            } finally {
                stopping.remove(seen.id());
            }
        });
    }

    private void stop(Sandbox seen, String reason, String remedy) {
        try {
            table.change(seen.id(), slot -> {
                // Another instance of the same name did nothing yet.
                if (slot.sandbox().status().isLive()
                        && slot.sandbox()
                                .instance()
                                .map(Instance::pid)
                                .equals(seen.instance().map(Instance::pid))) {
                    end(slot, reason, remedy);
                }
                return slot;
            });
        } catch (ServiceProblem e) {
            LOG.debug("{} went away by itself", seen.id());
        }
    }

    private void end(SandboxTable.Slot slot, String reason, String remedy) {
        Sandbox sandbox = slot.sandbox();
        SandboxFacts facts = sandbox.facts();
        instances.stop(sandbox, new ServiceMessage.Stop(Duration.ZERO, Optional.of(reason)));
        ledger.ended(sandbox.id(), facts.sessionDir(), SessionLedger.End.STOPPED);
        if (sandbox.persistent()) {
            SandboxFacts stopped = facts.defunct(reason + "; " + remedy);
            // On disk before anybody sees it: a service that dies in between knows the reason afterwards.
            attempt(() -> registry.put(stopped));
            slot.set(Sandbox.registered(stopped));
        } else {
            table.remove(slot);
            attempt(() -> cleanup.keepFailed(sandbox.id(), facts.sessionDir()));
        }
        changes.happened(sandbox, "stopped");
    }

    /// On a full disk; what it was for is over all the same.
    private static void attempt(Runnable keep) {
        try {
            keep.run();
        } catch (UncheckedIOException | SandboxException | ServiceProblem e) {
            LOG.warn("what a stopped sandbox left could not be noted: {}", e.getMessage());
        }
    }
}
