package dev.capsem.service.sandboxes;

import dev.capsem.events.budget.BudgetAmount;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.sandbox.Abilities;
import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.sandbox.SandboxException;
import dev.capsem.service.limits.DiskFloor;
import dev.capsem.service.limits.DiskQuota;
import dev.capsem.service.limits.Endings;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.processes.Instances;
import dev.capsem.service.processes.SpareProcesses;
import dev.capsem.service.profiles.SessionBudgetFile;
import dev.capsem.service.profiles.SessionPolicy;
import dev.capsem.service.recovery.SessionCleanup;
import dev.capsem.service.registry.PersistentRegistry;
import dev.capsem.service.registry.SandboxFacts;
import dev.capsem.service.table.Sandbox;
import dev.capsem.service.table.SandboxChanges;
import dev.capsem.service.table.SandboxNames;
import dev.capsem.service.table.SandboxTable;
import dev.capsem.service.table.SessionFiles;
import dev.capsem.service.table.SessionLedger;
import dev.capsem.service.table.Status;
import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.service.ProvisionRequest;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/// The operations on sandboxes. Each method is one operation of the API; it either happens as a whole or
/// is refused.
public final class Sandboxes {
    static final Duration STOP_GRACE = Duration.ofSeconds(2);
    static final Duration DELETE_GRACE = Duration.ofSeconds(1);

    private final HomeLayout layout;
    private final SandboxDriver driver;
    private final PersistentRegistry registry;
    private final SessionLedger ledger;
    private final SandboxTable table;
    private final Instances instances;
    private final SpareProcesses spares;
    private final SessionCleanup cleanup;
    private final ProvisionRules rules;
    private final HostView hostView;
    private final Clock clock;
    private final RandomGenerator random;
    private final String version;
    private final SandboxChanges changes;
    private final SessionPolicy policy;
    private final SessionCopier copier;
    private final DiskFloor floor;
    private final Endings endings;
    private final HostFitness fitness;
    private final SandboxProjects projects;

    public Sandboxes(SandboxDependencies parts) {
        this.layout = parts.layout();
        this.driver = parts.driver();
        this.registry = parts.registry();
        this.ledger = parts.ledger();
        this.table = parts.table();
        this.instances = parts.instances();
        this.spares = parts.spares();
        this.cleanup = parts.cleanup();
        this.rules = new ProvisionRules(parts.settings(), parts.layout().home());
        this.hostView = new HostView(parts.layout().home(), parts.userHome());
        this.clock = parts.clock();
        this.random = parts.random();
        this.version = parts.version();
        this.changes = parts.changes();
        this.policy = parts.policy();
        this.copier = new SessionCopier(parts);
        this.floor = parts.floor();
        this.endings = parts.endings();
        this.fitness = new HostFitness(parts.driver());
        this.projects = new SandboxProjects(parts.layout());
    }

    /// @param mode `warm`, `cold`, `thaw` or `running`
    public record Provisioned(Sandbox sandbox, String mode) {}

    public Collection<Sandbox> all() {
        return table.all().stream()
                .filter(sandbox -> sandbox.status() != Status.STARTING)
                .toList();
    }

    public Sandbox find(String id) {
        return Optional.of(id)
                .filter(SandboxId::isValid)
                .flatMap(valid -> table.find(new SandboxId(valid)))
                .filter(sandbox -> sandbox.status() != Status.STARTING)
                .orElseThrow(() -> notFound(id));
    }

    /// Says why it is gone, if it was us.
    private ServiceProblem notFound(String id) {
        return Optional.of(id)
                .filter(SandboxId::isValid)
                .flatMap(valid -> endings.of(new SandboxId(valid)))
                .map(reason -> new ServiceProblem(
                        ServiceProblem.Code.SANDBOX_NOT_FOUND,
                        "sandbox not found: " + id + " was " + reason,
                        "see its last words: `capsem logs " + id + "`"))
                .orElseGet(() -> SandboxTable.notFound(id));
    }

    /// Where the logs of a sandbox are, even of a temporary one that crashed.
    public Path logsOf(String id) {
        try {
            return find(id).facts().sessionDir();
        } catch (ServiceProblem e) {
            if (!SandboxId.isValid(id)) {
                throw e;
            }
            return SessionCleanup.failedOf(id, layout.sessionsDir()).stream()
                    .reduce((_, last) -> last)
                    .orElseThrow(() -> e);
        }
    }

    /// Notices, if it is so, that the sandbox is over.
    public boolean settle(Sandbox seen) {
        return cleanup.settle(seen);
    }

    /// The same for one that was lost a moment ago.
    public void settleSoon(Sandbox seen) {
        cleanup.settleSoon(seen);
    }

    private static SandboxId known(String id) {
        if (!SandboxId.isValid(id)) {
            throw SandboxTable.notFound(id);
        }
        return new SandboxId(id);
    }

    /// A sandbox whose processes run; waits for one that is still starting.
    public Sandbox running(String id) {
        Sandbox sandbox = table.find(known(id)).orElseThrow(() -> notFound(id));
        if (sandbox.status() == Status.STARTING) {
            sandbox = table.change(sandbox.id(), SandboxTable.Slot::sandbox);
        }
        return switch (sandbox.status()) {
            case RUNNING -> sandbox;
            case SUSPENDED ->
                throw new ServiceProblem(
                        ServiceProblem.Code.SUSPENDED,
                        "the sandbox " + id + " is suspended",
                        "let it go on: `capsem resume " + id + "`");
            case STARTING, STOPPED, DEFUNCT -> throw Instances.notRunning(sandbox);
        };
    }

    public Provisioned provision(ProvisionRequest request, SessionLedger.Mode mode, Optional<String> command) {
        fitness.require();
        floor.require();
        Optional<SandboxId> wished = request.name().map(SandboxNames::check);
        Optional<SandboxId> source = request.from().map(this::persistentSource);
        EffectiveProfile profile =
                policy.profiles().required(profileOf(request, source)).profile();
        SandboxSpec.Limits limits = rules.limits(request.ramMb(), request.cpus(), profile);
        Map<String, String> environment = rules.environment(request.env(), profile);
        Optional<SandboxSpec.Project> project = rules.project(request.project());
        SandboxSpec.View view = hostView.of(request, project);
        Optional<BudgetAmount> budget = rules.budget(request.budget());
        return table.admit(
                names -> {
                    SandboxId id = wished.orElseGet(() -> SandboxNames.invent(random, names));
                    SandboxFacts facts = new SandboxFacts(
                            id,
                            limits,
                            version,
                            clock.instant(),
                            sessionDir(id, request.persistent()),
                            source.map(SandboxId::value),
                            Optional.empty(),
                            false,
                            Optional.empty(),
                            environment,
                            project,
                            view,
                            profile.id().value());
                    return Sandbox.at(facts, request.persistent(), Status.STARTING);
                },
                slot -> begin(slot, mode, command, facts -> {
                    source.ifPresent(id -> copier.into(facts.sessionDir(), id));
                    budget.ifPresent(own -> SessionBudgetFile.write(facts.sessionDir(), budget));
                    projects.record(facts);
                }));
    }

    /// A running copy of a sandbox, running or not, which stands still while it is copied. What the copy may do,
    /// and its project, are the source's; its name, its record and its processes are its own.
    ///
    /// @param name made up when absent
    public Provisioned branch(String id, Optional<String> name) {
        fitness.require();
        floor.require();
        Optional<SandboxId> wished = name.map(SandboxNames::check);
        Sandbox source = find(id);
        return table.admit(
                names -> {
                    SandboxId newId = wished.orElseGet(() -> SandboxNames.invent(random, names));
                    SandboxFacts facts = source.facts()
                            .forked(newId, sessionDir(newId, false), Optional.empty(), version, clock.instant());
                    return Sandbox.at(facts, false, Status.STARTING);
                },
                slot -> begin(
                        slot,
                        SessionLedger.Mode.TEMPORARY,
                        Optional.empty(),
                        facts -> copier.into(facts.sessionDir(), source.id())));
    }

    private Provisioned begin(
            SandboxTable.Slot slot,
            SessionLedger.Mode mode,
            Optional<String> command,
            Consumer<SandboxFacts> contents) {
        Provisioned provisioned = create(slot, contents);
        ledger.created(slot.sandbox().facts(), mode, command);
        changes.happened(slot.sandbox(), "created");
        return provisioned;
    }

    /// A copy stays under the profile of what it was copied from.
    private Optional<String> profileOf(ProvisionRequest request, Optional<SandboxId> source) {
        if (source.isEmpty()) {
            return request.profileId();
        }
        String inherited = find(source.get().value()).facts().profileId();
        if (request.profileId().filter(wished -> !wished.equals(inherited)).isPresent()) {
            throw new ServiceProblem(
                    ServiceProblem.Code.BAD_PROFILE,
                    "a copy of " + source.get() + " stays under its profile, " + inherited,
                    "leave the profile out");
        }
        return Optional.of(inherited);
    }

    private Path sessionDir(SandboxId id, boolean persistent) {
        return (persistent ? layout.persistentDir() : layout.sessionsDir()).resolve(id.value());
    }

    private SandboxId persistentSource(String name) {
        Sandbox source = find(name);
        if (!source.persistent()) {
            throw new ServiceProblem(
                    ServiceProblem.Code.NOT_PERSISTENT,
                    name + " is temporary and cannot be a source",
                    "fork it first: `capsem fork " + name + " NAME`");
        }
        return source.id();
    }

    private Provisioned create(SandboxTable.Slot slot, Consumer<SandboxFacts> contents) {
        Sandbox sandbox = slot.sandbox();
        SandboxFacts facts = sandbox.facts();
        boolean made = false;
        try {
            cleanup.trash(facts.sessionDir());
            SessionFiles.createPrivate(facts.sessionDir());
            contents.accept(facts);
            if (sandbox.persistent()) {
                registry.put(facts);
            }
            Provisioned provisioned = start(slot, sandbox);
            made = true;
            return provisioned;
        } catch (ServiceProblem | SandboxException | UncheckedIOException e) {
            throw OperationFailure.problem("provision", e);
        } finally {
            if (!made) {
                unmake(slot);
            }
        }
    }

    /// Out of the table first: whatever else fails then, the name is free and nobody waits for it.
    private void unmake(SandboxTable.Slot slot) {
        Sandbox sandbox = slot.sandbox();
        table.remove(slot);
        if (sandbox.persistent()) {
            registry.remove(sandbox.id());
        }
        cleanup.keepFailed(sandbox.id(), sandbox.facts().sessionDir());
    }

    public SandboxProjects projects() {
        return projects;
    }

    public HostFitness fitness() {
        return fitness;
    }

    /// What its files may take: as its profile says now, so that a larger one counts without a new sandbox.
    public DiskQuota quotaOf(SandboxFacts facts) {
        return rules.quota(policy.profiles(), facts.profileId());
    }

    private Provisioned start(SandboxTable.Slot slot, Sandbox sandbox) {
        policy.install(sandbox.facts().sessionDir(), sandbox.facts().profileId());
        endings.forget(sandbox.id());
        Instances.Started started = instances.start(sandbox.facts());
        slot.set(sandbox.live(Status.RUNNING, started.instance()));
        cleanup.watch(started.child(), started.instance().pid());
        spares.refill();
        return new Provisioned(slot.sandbox(), started.warm() ? "warm" : "cold");
    }

    /// Goes on with a suspended sandbox, or starts a stopped one from what is on disk.
    public Provisioned resume(String name) {
        // It may just have died, and nobody noticed yet: who asks for a running sandbox should get one.
        table.find(known(name)).ifPresent(this::settle);
        return table.change(known(name), slot -> {
            Sandbox sandbox = slot.sandbox();
            return switch (sandbox.status()) {
                case STARTING, RUNNING -> new Provisioned(sandbox, "running");
                case SUSPENDED -> {
                    instances.thaw(sandbox);
                    Sandbox awake = sandbox.with(sandbox.facts().withSuspended(false));
                    keepFacts(awake);
                    slot.set(awake.live(Status.RUNNING, Instances.required(sandbox)));
                    changes.happened(slot.sandbox(), "resumed");
                    yield new Provisioned(slot.sandbox(), "thaw");
                }
                case STOPPED, DEFUNCT -> startAgain(slot);
            };
        });
    }

    private Provisioned startAgain(SandboxTable.Slot slot) {
        fitness.require();
        floor.require();
        SandboxFacts facts = slot.sandbox().facts().withSuspended(false);
        table.admitAgain(slot, Sandbox.at(facts, true, Status.STARTING));
        try {
            registry.put(facts);
            start(slot, slot.sandbox());
            ledger.resumed(facts);
            changes.happened(slot.sandbox(), "resumed");
            return new Provisioned(slot.sandbox(), "cold");
        } catch (ServiceProblem | SandboxException | UncheckedIOException e) {
            SandboxFacts defunct = facts.defunct(String.valueOf(e.getMessage()));
            try {
                registry.put(defunct);
            } catch (UncheckedIOException unwritten) {
                e.addSuppressed(unwritten);
            }
            slot.set(Sandbox.registered(defunct));
            throw OperationFailure.problem("resume", e);
        }
    }

    /// Returns whether it was persistent, and so can be resumed.
    public boolean stop(String id) {
        return table.change(known(id), slot -> {
            Sandbox sandbox = slot.sandbox();
            if (!sandbox.status().isLive()) {
                throw Instances.notRunning(sandbox);
            }
            end(slot, STOP_GRACE);
            if (sandbox.persistent()) {
                SandboxFacts facts = sandbox.facts().withSuspended(false);
                registry.put(facts);
                slot.set(Sandbox.registered(facts));
            } else {
                cleanup.trash(sandbox.facts().sessionDir());
                table.remove(slot);
            }
            changes.happened(sandbox, "stopped");
            return sandbox.persistent();
        });
    }

    private void end(SandboxTable.Slot slot, Duration grace) {
        Sandbox sandbox = slot.sandbox();
        instances.stop(sandbox, grace);
        ledger.ended(sandbox.id(), sandbox.facts().sessionDir(), SessionLedger.End.STOPPED);
    }

    /// Ends it if it runs, and removes all of it.
    public void delete(String id) {
        table.change(known(id), slot -> {
            Sandbox sandbox = slot.sandbox();
            if (sandbox.status().isLive()) {
                end(slot, DELETE_GRACE);
            }
            if (sandbox.persistent()) {
                registry.remove(sandbox.id());
            }
            cleanup.trash(sandbox.facts().sessionDir());
            table.remove(slot);
            changes.happened(sandbox, "deleted");
            return slot;
        });
    }

    public record Purged(int persistent, int temporary) {}

    /// Deletes all temporary sandboxes, or all there are.
    public Purged purge(boolean all) {
        List<Sandbox> chosen =
                all().stream().filter(sandbox -> all || !sandbox.persistent()).toList();
        try (TaskScope scope = new TaskScope("purge", (_, _) -> {})) {
            var deletions = chosen.stream()
                    .map(sandbox -> scope.fork(() -> deleteIfThere(sandbox)))
                    .toList();
            deletions.forEach(TaskResult::of);
        }
        int persistent = (int) chosen.stream().filter(Sandbox::persistent).count();
        return new Purged(persistent, chosen.size() - persistent);
    }

    private Sandbox deleteIfThere(Sandbox sandbox) {
        try {
            delete(sandbox.id().value());
        } catch (ServiceProblem e) {
            if (e.code() != ServiceProblem.Code.SANDBOX_NOT_FOUND) {
                throw e;
            }
        }
        return sandbox;
    }

    /// Returns how it stands still, in the word of the API.
    public String suspend(String id) {
        if (!find(id).persistent()) {
            throw new ServiceProblem(
                    ServiceProblem.Code.NOT_PERSISTENT,
                    "temporary sandboxes cannot be suspended",
                    "persist it first: `capsem persist " + id + " NAME`");
        }
        return pause(id);
    }

    /// The same for any sandbox; a temporary one does not outlive a reboot.
    public String pause(String id) {
        return table.change(known(id), slot -> {
            Sandbox sandbox = slot.sandbox();
            Abilities.SuspendMode mode = driver.abilities().suspend();
            if (mode == Abilities.SuspendMode.NONE) {
                throw new ServiceProblem(
                        ServiceProblem.Code.HOST_PROBLEM,
                        "this host cannot suspend sandboxes",
                        "stop it: `capsem stop " + id + "`");
            }
            if (sandbox.status() != Status.SUSPENDED) {
                freeze(slot);
            }
            return mode.name().toLowerCase(Locale.ROOT);
        });
    }

    private void freeze(SandboxTable.Slot slot) {
        Sandbox sandbox = slot.sandbox();
        instances.suspend(sandbox);
        Sandbox frozen = sandbox.with(sandbox.facts().withSuspended(true));
        keepFacts(frozen);
        slot.set(frozen.live(Status.SUSPENDED, Instances.required(sandbox)));
        changes.happened(slot.sandbox(), "suspended");
    }

    private void keepFacts(Sandbox sandbox) {
        if (sandbox.persistent()) {
            registry.put(sandbox.facts());
        }
    }

    /// Makes a running temporary sandbox persistent; its id becomes the name.
    public Sandbox persist(String id, String name) {
        return copier.persist(known(id), SandboxNames.check(name));
    }

    /// Copies a sandbox, running or not, into a new stopped persistent one.
    public SessionCopier.Forked fork(String id, String name, Optional<String> description) {
        floor.require();
        return copier.fork(known(id), SandboxNames.check(name), description);
    }
}
