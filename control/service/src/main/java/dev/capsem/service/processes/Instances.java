package dev.capsem.service.processes;

import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.sandbox.SandboxException;
import dev.capsem.sandbox.SandboxHandleJson;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.registry.SandboxFacts;
import dev.capsem.service.table.Instance;
import dev.capsem.service.table.Sandbox;
import dev.capsem.service.table.SessionFiles;
import dev.capsem.service.table.Status;
import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.ipc.Answered;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.json.JsonShapeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings a sandbox's process to life, asks things of it, and puts it to rest. Knows one sandbox at a time; who may
/// call when is decided by [dev.capsem.service.sandboxes.Sandboxes].
public final class Instances {
    private static final Logger LOG = LoggerFactory.getLogger(Instances.class);
    /// On a host that starts twenty at once.
    private static final Duration BOOT_MAX = Duration.ofSeconds(60);
    /// Freezing, thawing, moving: local work of the process.
    private static final Duration OPERATION_MAX = Duration.ofSeconds(30);
    /// Beyond the guest's grace: draining the database.
    private static final Duration STOP_MARGIN = Duration.ofSeconds(3);
    /// After the process said that all is done: its JVM's own end, on a loaded host. One that records for its start-up
    /// cache writes for half a minute there; killed earlier, it would leave no cache.
    private static final Duration EXIT_MAX = Duration.ofSeconds(60);
    /// Status for a list must not wait for one sick process.
    private static final Duration STATUS_MAX = Duration.ofSeconds(2);
    private static final Duration END_POLL = Duration.ofMillis(5);
    /// States in which a process says of itself that it will not take commands again.
    private static final Set<String> ENDING = Set.of("Stopping", "Stopped", "Defunct");

    private final HomeLayout layout;
    private final SandboxDriver driver;
    private final ProcessConnector connector;
    private final ProcessStarter starter;
    private final SpareProcesses spares;
    private final IpcDrops drops;
    private final Clock clock;
    private final RandomGenerator random;
    /// Also before this service began.
    private final AtomicBoolean someEnded = new AtomicBoolean(true);
    private final Identity identity;

    /// @param userId who the sandboxes belong to
    /// @param bootId of the host, now
    public record Identity(String userId, String bootId) {}

    public Instances(
            HomeLayout layout,
            SandboxDriver driver,
            ProcessConnector connector,
            ProcessStarter starter,
            SpareProcesses spares,
            IpcDrops drops,
            Clock clock,
            RandomGenerator random,
            Identity identity) {
        this.layout = layout;
        this.driver = driver;
        this.connector = connector;
        this.starter = starter;
        this.spares = spares;
        this.drops = drops;
        this.clock = clock;
        this.random = random;
        this.identity = identity;
    }

    public record Started(Instance instance, ProcessStarter.Child child, boolean warm) {}

    public String token() {
        byte[] bytes = new byte[4];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /// Starts the sandbox. On failure nothing of it runs and nothing is left outside the session directory.
    public Started start(SandboxFacts facts) {
        Path runtimeDir = layout.runtimeDir(token());
        SessionFiles.createPrivate(runtimeDir);
        SandboxSpec spec = spec(facts, runtimeDir);
        SessionFiles.writeSpec(spec);
        Path socket = layout.instanceSocket(facts.name());
        SessionFiles.deleteQuietly(socket);
        SpareProcesses.Spare spare;
        try {
            spare = spares.take();
        } catch (ServiceProblem e) {
            SessionFiles.deleteRuntimeDir(runtimeDir);
            throw e;
        }
        Instance instance = new Instance(
                spare.child().pid(),
                spare.child().startedAt(),
                identity.bootId,
                socket,
                runtimeDir,
                clock.instant(),
                Optional.empty());
        try {
            SessionFiles.writeInstance(facts.sessionDir(), instance);
            keepLog(spare, facts.sessionDir());
            Instance up = instance.withHandle(assign(spare, spec, socket));
            SessionFiles.writeInstance(facts.sessionDir(), up);
            spares.forget(spare);
            return new Started(up, spare.child(), spare.warm());
        } catch (ServiceProblem | UncheckedIOException e) {
            spare.child().kill();
            spares.forget(spare);
            release(facts.sessionDir(), instance);
            throw e;
        }
    }

    private SandboxSpec spec(SandboxFacts facts, Path runtimeDir) {
        return new SandboxSpec(
                facts.name(),
                facts.sessionDir(),
                runtimeDir,
                facts.limits(),
                facts.environment(),
                facts.project(),
                facts.view(),
                facts.profileId(),
                identity.userId);
    }

    /// After a move: the file on disk names the new id and directory.
    public void rewriteSpec(SandboxFacts facts, Instance instance) {
        SessionFiles.writeSpec(spec(facts, instance.runtimeDir()));
    }

    /// What the process says before and beside its own log belongs to the session from now on.
    private static void keepLog(SpareProcesses.Spare spare, Path sessionDir) {
        try {
            if (Files.exists(spare.log())) {
                Files.move(spare.log(), sessionDir.resolve("process.out"));
            }
        } catch (IOException e) {
            LOG.debug("the output of process {} stays in {}", spare.child().pid(), spare.log(), e);
        }
    }

    /// Returns the driver's handle.
    private String assign(SpareProcesses.Spare spare, SandboxSpec spec, Path socket) {
        try (ProcessConnection connection = connector.open(spare.socket(), BOOT_MAX)) {
            connection.send(new ServiceMessage.Assign(spec, socket));
            while (true) {
                switch (connection
                        .receive(ProcessMessage.StartReply.class)
                        .orElseThrow(() -> startFailed(spec, "its process ended"))) {
                    case ProcessMessage.BootStage stage ->
                        LOG.debug(
                                "{}: {} took {} ms",
                                spec.id(),
                                stage.name(),
                                stage.took().toMillis());
                    case ProcessMessage.Assigned assigned -> {
                        return assigned.handle();
                    }
                    case ProcessMessage.Failed failed ->
                        throw new ServiceProblem(
                                ServiceProblem.Code.START_FAILED,
                                "the sandbox did not start: " + failed.cause(),
                                failed.remedy());
                }
            }
        } catch (IpcException e) {
            drops.record(spec.id(), "assign", e);
            throw startFailed(spec, "its process was lost");
        }
    }

    private static ServiceProblem startFailed(SandboxSpec spec, String why) {
        String tail = logTail(spec.sessionDir());
        return new ServiceProblem(
                ServiceProblem.Code.START_FAILED,
                "the sandbox did not start: " + why + (tail.isBlank() ? "" : "; its log ends with:\n" + tail),
                "look at `capsem status`");
    }

    public static String logTail(Path sessionDir) {
        String process = SessionFiles.tail(sessionDir.resolve("process.log"), 20);
        return process.isBlank() ? SessionFiles.tail(sessionDir.resolve("process.out"), 20) : process;
    }

    public void stop(Sandbox sandbox, Duration grace) {
        stop(sandbox, new ServiceMessage.Stop(grace));
    }

    /// Ends it gracefully, then by force; releases what it held on the host.
    public void stop(Sandbox sandbox, ServiceMessage.Stop wish) {
        Instance instance = required(sandbox);
        Optional<ProcessStarter.Child> child = child(instance);
        Duration limit = wish.grace().plus(STOP_MARGIN);
        try (ProcessConnection connection = connector.open(instance.socket(), limit)) {
            connection.send(wish);
            connection.receive();
        } catch (IpcException e) {
            drops.record(sandbox.id(), "stop", e);
        }
        child.ifPresent(process -> await(process, EXIT_MAX));
        release(sandbox.facts().sessionDir(), instance);
    }

    /// Asks again and again: of a process that is not our child, the platform tells the end only seconds later.
    private static void await(ProcessStarter.Child child, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            while (child.isAlive() && System.nanoTime() < deadline) {
                Thread.sleep(END_POLL);
            }
            if (child.isAlive()) {
                child.kill();
            }
            while (child.isAlive()) {
                Thread.sleep(END_POLL);
            }
        } catch (InterruptedException e) {
            child.kill();
            Thread.currentThread().interrupt();
        }
    }

    public Optional<ProcessStarter.Child> child(Instance instance) {
        return instance.bootId().equals(identity.bootId)
                ? starter.find(instance.pid(), instance.processStartedAt())
                : Optional.empty();
    }

    public boolean isOfThisBoot(Instance instance) {
        return instance.bootId().equals(identity.bootId);
    }

    /// Takes away whatever a dead instance still holds: processes, cgroups, mounts, sockets. Idempotent.
    public void release(Path sessionDir, Instance instance) {
        instance.handle().ifPresent(this::cleanUp);
        someEnded.set(true);
        SessionFiles.deleteQuietly(instance.socket());
        SessionFiles.deleteQuietly(readyFile(instance.socket()));
        SessionFiles.deleteRuntimeDir(instance.runtimeDir());
        SessionFiles.deleteInstance(sessionDir);
    }

    /// Ends what starts that were killed left half made. Looks only after some sandbox ended: it takes a look at every
    /// process of this host.
    public void endAbandoned() {
        if (someEnded.getAndSet(false)) {
            driver.endAbandoned(layout.runDir());
        }
    }

    public static Path readyFile(Path socket) {
        String name = socket.getFileName().toString();
        return socket.resolveSibling(name.replaceAll("\\.sock$", ".ready"));
    }

    private void cleanUp(String handle) {
        try {
            driver.cleanUp(SandboxHandleJson.read(handle));
        } catch (SandboxException | JsonShapeException e) {
            LOG.warn("the remains of a sandbox could not be cleaned up: {}", e.getMessage());
        }
    }

    public void suspend(Sandbox sandbox) {
        operate(sandbox, "suspend", new ServiceMessage.Suspend());
    }

    public void thaw(Sandbox sandbox) {
        operate(sandbox, "resume", new ServiceMessage.Resume());
    }

    /// The process renames the session directory and its socket.
    public Instance relocate(Sandbox sandbox, SandboxId newId, Path newSessionDir) {
        Path newSocket = layout.instanceSocket(newId);
        SessionFiles.deleteQuietly(newSocket);
        operate(sandbox, "persist", new ServiceMessage.Relocate(newId, newSessionDir, newSocket));
        Instance moved = required(sandbox).withSocket(newSocket);
        SessionFiles.writeInstance(newSessionDir, moved);
        return moved;
    }

    private void operate(Sandbox sandbox, String name, ServiceMessage.Order order) {
        try (ProcessConnection connection = connector.open(required(sandbox).socket(), OPERATION_MAX)) {
            done(sandbox.id(), name, connection.ask(order));
        } catch (IpcException e) {
            throw drops.refuse(sandbox.id(), name, e);
        }
    }

    private void done(SandboxId id, String operation, Answered<ProcessMessage.Done> answered) {
        switch (answered) {
            case Answered.With<ProcessMessage.Done> _ -> {}
            case Answered.Failure<ProcessMessage.Done>(ProcessMessage.Failed failed) -> throw failed(operation, failed);
            case Answered.Closed<ProcessMessage.Done> _ -> throw drops.closed(id, operation);
        }
    }

    static ServiceProblem failed(String operation, ProcessMessage.Failed failed) {
        return new ServiceProblem(
                ServiceProblem.Code.OPERATION_FAILED, operation + " failed: " + failed.cause(), failed.remedy());
    }

    public interface Work<T> {
        T run();
    }

    /// Runs the work while nothing in the sandbox moves.
    public <T> T still(Sandbox sandbox, Work<T> work) {
        if (sandbox.status() != Status.RUNNING) {
            return work.run();
        }
        try (ProcessConnection connection = connector.open(required(sandbox).socket())) {
            done(sandbox.id(), "fork", connection.ask(new ServiceMessage.HoldStill()));
            T result = work.run();
            done(sandbox.id(), "fork", connection.ask(new ServiceMessage.Release()));
            return result;
        } catch (IpcException e) {
            throw drops.refuse(sandbox.id(), "fork", e);
        }
    }

    /// The result of a look at the process.
    public sealed interface Look {
        record Alive(ProcessMessage.Status status) implements Look {}

        /// No answer in time: a busy host, or a process that is being born or dying.
        record Silent() implements Look {}

        /// Nobody listens any more, or it says itself that it is ending.
        record Over() implements Look {}
    }

    public Look look(Instance instance) {
        try (ProcessConnection connection = connector.open(instance.socket(), STATUS_MAX)) {
            Optional<ProcessMessage.Status> status = status(connection);
            if (status.isEmpty()) {
                return new Look.Silent();
            }
            return ENDING.contains(status.get().state()) ? new Look.Over() : new Look.Alive(status.get());
        } catch (IpcException e) {
            return e.code() == IpcException.Code.UNREACHABLE ? new Look.Over() : new Look.Silent();
        }
    }

    /// Waits for a process that is ending, and ends one that does not.
    public void awaitEnd(Instance instance) {
        child(instance).ifPresent(process -> await(process, STOP_MARGIN));
    }

    public static Optional<ProcessMessage.Status> status(ProcessConnection connection) {
        return connection.ask(new ServiceMessage.GetStatus()) instanceof Answered.With(ProcessMessage.Status status)
                ? Optional.of(status)
                : Optional.empty();
    }

    public static Instance required(Sandbox sandbox) {
        return sandbox.instance().orElseThrow(() -> notRunning(sandbox));
    }

    public static ServiceProblem notRunning(Sandbox sandbox) {
        return new ServiceProblem(
                ServiceProblem.Code.NOT_RUNNING,
                "the sandbox " + sandbox.id() + " is not running ("
                        + sandbox.status().wireName() + ")",
                "start it: `capsem resume " + sandbox.id() + "`");
    }
}
