package dev.capsem.service.reload;

import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.io.ProfileException;
import dev.capsem.profiles.io.ProfileSource;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.processes.ProcessConnection;
import dev.capsem.service.processes.ProcessConnector;
import dev.capsem.service.profiles.InForce;
import dev.capsem.service.profiles.SessionPolicy;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.service.table.Sandbox;
import dev.capsem.service.table.SandboxChanges;
import dev.capsem.source.Place;
import dev.capsem.source.Problem;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.ipc.Answered;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells running sandboxes of changed rules.
public final class Reloads implements SandboxChanges.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(Reloads.class);

    /// For one sandbox, whose MCP servers are connected anew; all are told at once.
    static final Duration TELL_MAX = Duration.ofSeconds(30);

    /// What sandboxes are told to begin with is written by their start; these may have missed a change meanwhile.
    private static final Set<String> BEGINNINGS = Set.of("created", "resumed", "persisted");

    private static final Set<String> ENDS = Set.of("stopped", "deleted", "crashed");

    private final SessionPolicy policy;
    private final Sandboxes sandboxes;
    private final ProcessConnector connector;
    private final TaskScope background;

    /// One reload at a time: an older profile must not be written over a newer one.
    private final ReentrantLock turn = new ReentrantLock();

    public Reloads(SessionPolicy policy, Sandboxes sandboxes, ProcessConnector connector, TaskScope background) {
        this.policy = policy;
        this.sandboxes = sandboxes;
        this.connector = connector;
        this.background = background;
    }

    /// Reads all files again and tells every running sandbox.
    public Propagation all() {
        turn.lock();
        try {
            return tell(policy.profiles().reload().problems(), true);
        } catch (ProfileException e) {
            List<Problem> unread = List.of(Problem.error(
                    Place.start(policy.profiles().folders().user().toString()), String.valueOf(e.getMessage())));
            return new Propagation(0, List.of(), unread, unread);
        } finally {
            turn.unlock();
        }
    }

    /// After a file changed: tells the sandboxes it matters to.
    public void changed(ProfileSource.Reload reload) {
        turn.lock();
        try {
            Propagation told = tell(reload.problems(), false);
            if (told.isSuccess()) {
                LOG.info("profiles were read again; {} sandboxes run under them", told.targets());
            } else {
                LOG.warn(
                        "a change of profiles was not taken over everywhere: {}",
                        told.reloadReply().path("message").asString());
            }
        } finally {
            turn.unlock();
        }
    }

    /// After the overlay changed.
    public Propagation overlayChanged() {
        turn.lock();
        try {
            return tell(List.of(), true);
        } finally {
            turn.unlock();
        }
    }

    /// After a credential changed: tells the sandboxes whose profile uses it.
    public Propagation of(Predicate<EffectiveProfile> uses) {
        turn.lock();
        try {
            return tellTo(sandbox -> uses.test(policy.profiles()
                    .required(Optional.of(sandbox.facts().profileId()))
                    .profile()));
        } finally {
            turn.unlock();
        }
    }

    private Propagation tellTo(Predicate<Sandbox> affected) {
        List<Sandbox> targets = sandboxes.all().stream()
                .filter(sandbox -> sandbox.status().isLive())
                .filter(sandbox -> isAffected(affected, sandbox))
                .toList();
        return new Propagation(targets.size(), tell(targets), List.of(), List.of());
    }

    private static boolean isAffected(Predicate<Sandbox> affected, Sandbox sandbox) {
        try {
            return affected.test(sandbox);
        } catch (ServiceProblem e) {
            return false;
        }
    }

    /// Those that an earlier service left may have missed changes while nobody was there.
    public void adopted() {
        turn.lock();
        try {
            tell(List.of(), false);
        } finally {
            turn.unlock();
        }
    }

    @Override
    public void happened(Sandbox sandbox, String what) {
        if (BEGINNINGS.contains(what)) {
            background.start(() -> catchUp(sandbox));
        } else if (ENDS.contains(what)) {
            policy.forget(sandbox.facts().sessionDir());
        }
    }

    private void catchUp(Sandbox sandbox) {
        turn.lock();
        try {
            if (!isCurrent(sandbox)) {
                tell(sandbox).ifPresent(failure -> LOG.warn("{}: {}", failure.sandbox(), failure.message()));
            }
        } finally {
            turn.unlock();
        }
    }

    private Propagation tell(List<Problem> problems, boolean everyone) {
        policy.profiles().refreshWarmUp();
        List<Sandbox> targets = sandboxes.all().stream()
                .filter(sandbox -> sandbox.status().isLive())
                .filter(sandbox -> everyone || !isCurrent(sandbox))
                .toList();
        List<Propagation.Failure> failures = tell(targets);
        Set<Problem> held = new LinkedHashSet<>();
        targets.forEach(sandbox -> held.addAll(held(sandbox)));
        held.addAll(held(Optional.empty()));
        Set<Problem> all = new LinkedHashSet<>(problems);
        all.addAll(held);
        return new Propagation(targets.size(), failures, List.copyOf(all), List.copyOf(held));
    }

    private List<Propagation.Failure> tell(List<Sandbox> targets) {
        List<Propagation.Failure> failures = new ArrayList<>();
        try (TaskScope scope = new TaskScope("reload", (_, _) -> {})) {
            List<Future<Optional<Propagation.Failure>>> answers = targets.stream()
                    .map(sandbox -> scope.fork(() -> tell(sandbox)))
                    .toList();
            for (int i = 0; i < targets.size(); i++) {
                await(targets.get(i), answers.get(i)).ifPresent(failures::add);
            }
        }
        return failures;
    }

    /// Why the profile of a sandbox is an older one than its files say.
    private List<Problem> held(Sandbox sandbox) {
        return held(Optional.of(sandbox.facts().profileId()));
    }

    private List<Problem> held(Optional<String> profile) {
        try {
            return policy.profiles().mistakes(profile);
        } catch (ServiceProblem e) {
            return List.of();
        }
    }

    private boolean isCurrent(Sandbox sandbox) {
        try {
            return policy.isCurrent(
                    sandbox.facts().sessionDir(), sandbox.facts().profileId());
        } catch (ServiceProblem e) {
            return false;
        }
    }

    private static Optional<Propagation.Failure> await(Sandbox sandbox, Future<Optional<Propagation.Failure>> answer) {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            LOG.error("a reload failed", e);
            return failure(sandbox, "the service failed: " + String.valueOf(e.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return failure(sandbox, "the service is shutting down");
        }
    }

    private Optional<Propagation.Failure> tell(Sandbox sandbox) {
        try {
            InForce inForce =
                    policy.install(sandbox.facts().sessionDir(), sandbox.facts().profileId());
            return sandbox.instance()
                    .map(instance -> send(sandbox, instance.socket(), inForce))
                    .orElseGet(() -> failure(sandbox, "it has no process"));
        } catch (ServiceProblem | UncheckedIOException e) {
            return failure(sandbox, String.valueOf(e.getMessage()));
        }
    }

    private Optional<Propagation.Failure> send(Sandbox sandbox, Path socket, InForce inForce) {
        try (ProcessConnection connection = connector.open(socket, TELL_MAX)) {
            return switch (connection.ask(new ServiceMessage.ReloadConfig())) {
                case Answered.With<ProcessMessage.Reloaded>(ProcessMessage.Reloaded reloaded) -> {
                    LOG.debug(
                            "{}: {} rules of {}",
                            sandbox.id(),
                            reloaded.rules(),
                            inForce.profile().id());
                    yield Optional.empty();
                }
                case Answered.Failure<ProcessMessage.Reloaded>(ProcessMessage.Failed failed) ->
                    again(sandbox, failed.cause());
                case Answered.Closed<ProcessMessage.Reloaded> _ -> again(sandbox, "its process closed");
            };
        } catch (IpcException e) {
            return again(sandbox, "its process did not answer: " + e.getMessage());
        }
    }

    /// A failed reload is tried again with the next change.
    private Optional<Propagation.Failure> again(Sandbox sandbox, String message) {
        policy.forget(sandbox.facts().sessionDir());
        return failure(sandbox, message);
    }

    private static Optional<Propagation.Failure> failure(Sandbox sandbox, String message) {
        return Optional.of(new Propagation.Failure(sandbox.id().value(), message));
    }
}
