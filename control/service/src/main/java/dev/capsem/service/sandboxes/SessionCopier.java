package dev.capsem.service.sandboxes;

import dev.capsem.profiles.io.PlaceholderFile;
import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.sandbox.SandboxException;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.processes.Instances;
import dev.capsem.service.profiles.SessionBudgetFile;
import dev.capsem.service.recovery.SessionCleanup;
import dev.capsem.service.registry.PersistentRegistry;
import dev.capsem.service.registry.SandboxFacts;
import dev.capsem.service.table.Instance;
import dev.capsem.service.table.Sandbox;
import dev.capsem.service.table.SandboxChanges;
import dev.capsem.service.table.SandboxTable;
import dev.capsem.service.table.SessionFiles;
import dev.capsem.service.table.SessionLedger;
import dev.capsem.service.table.Status;
import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.SandboxId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;

/// Copies or moves a sandbox's files.
public final class SessionCopier {
    private final HomeLayout layout;
    private final SandboxDriver driver;
    private final PersistentRegistry registry;
    private final SessionLedger ledger;
    private final SandboxTable table;
    private final Instances instances;
    private final SessionCleanup cleanup;
    private final Clock clock;
    private final String version;
    private final SandboxChanges changes;

    public record Forked(SandboxId name, long sizeBytes) {}

    SessionCopier(SandboxDependencies parts) {
        this.layout = parts.layout();
        this.driver = parts.driver();
        this.registry = parts.registry();
        this.ledger = parts.ledger();
        this.table = parts.table();
        this.instances = parts.instances();
        this.cleanup = parts.cleanup();
        this.clock = parts.clock();
        this.version = parts.version();
        this.changes = parts.changes();
    }

    /// Copies the files of a sandbox, which stands still meanwhile, into an empty session directory.
    void into(Path sessionDir, SandboxId source) {
        table.change(source, from -> copyState(from.sandbox(), sessionDir));
    }

    private long copyState(Sandbox source, Path target) {
        return instances.still(source, () -> {
            Path from = source.facts().sessionDir();
            long size = driver.copyState(from, target);
            tellFormerStandIns(from, target);
            SessionBudgetFile.fork(from, target);
            return size;
        });
    }

    /// The copy makes stand-ins of its own for credentials, and must know which files hold those of this one.
    private static void tellFormerStandIns(Path from, Path target) {
        try {
            PlaceholderFile.fork(from, target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path persistentDir(SandboxId id) {
        return layout.persistentDir().resolve(id.value());
    }

    Sandbox persist(SandboxId id, SandboxId newId) {
        return table.change(id, slot -> {
            Sandbox sandbox = slot.sandbox();
            if (sandbox.persistent()) {
                throw new ServiceProblem(
                        ServiceProblem.Code.ALREADY_PERSISTENT,
                        id + " is already persistent",
                        "copy it under another name: `capsem fork " + id + " NAME`");
            }
            if (sandbox.status() == Status.SUSPENDED) {
                throw new ServiceProblem(ServiceProblem.Code.SUSPENDED, id + " is suspended", "let it go on first");
            }
            SandboxFacts facts = sandbox.facts().renamed(newId, persistentDir(newId));
            return table.admit(_ -> Sandbox.at(facts, true, Status.STOPPED), newSlot -> relocate(slot, newSlot, facts));
        });
    }

    private Sandbox relocate(SandboxTable.Slot from, SandboxTable.Slot to, SandboxFacts facts) {
        Sandbox sandbox = from.sandbox();
        try {
            cleanup.trash(facts.sessionDir());
            registry.put(facts);
            Instance moved = instances.relocate(sandbox, facts.name(), facts.sessionDir());
            to.set(to.sandbox().live(Status.RUNNING, moved));
            instances.rewriteSpec(facts, moved);
            table.remove(from);
            ledger.renamed(sandbox.id(), facts.name());
            changes.happened(to.sandbox(), "persisted");
            return to.sandbox();
        } catch (ServiceProblem | UncheckedIOException e) {
            registry.remove(facts.name());
            table.remove(to);
            throw OperationFailure.problem("persist", e);
        }
    }

    Forked fork(SandboxId id, SandboxId newId, Optional<String> description) {
        return table.change(id, slot -> {
            Sandbox source = slot.sandbox();
            SandboxFacts facts =
                    source.facts().forked(newId, persistentDir(newId), description, version, clock.instant());
            return table.admit(_ -> Sandbox.at(facts, true, Status.STOPPED), newSlot -> fork(source, newSlot));
        });
    }

    private Forked fork(Sandbox source, SandboxTable.Slot target) {
        SandboxFacts facts = target.sandbox().facts();
        try {
            cleanup.trash(facts.sessionDir());
            SessionFiles.createPrivate(facts.sessionDir());
            long size = copyState(source, facts.sessionDir());
            registry.put(facts);
            changes.happened(target.sandbox(), "forked");
            return new Forked(facts.name(), size);
        } catch (ServiceProblem | SandboxException | UncheckedIOException e) {
            table.remove(target);
            cleanup.trash(facts.sessionDir());
            throw OperationFailure.problem("fork", e);
        }
    }
}
