package dev.capsem.process.session;

import dev.capsem.events.vocabulary.EventType;
import dev.capsem.process.approve.ApprovalQueue;
import dev.capsem.process.budget.BudgetDesk;
import dev.capsem.process.configuration.ConfigurationInForce;
import dev.capsem.process.configuration.SessionDirectory;
import dev.capsem.process.exec.ExecOperation;
import dev.capsem.process.exec.TerminalLog;
import dev.capsem.process.grant.GrantsInside;
import dev.capsem.process.guest.AgentSession;
import dev.capsem.process.guest.ExecAudit;
import dev.capsem.process.io.GuestPorts;
import dev.capsem.process.mcp.McpStage;
import dev.capsem.process.network.MetricsJson;
import dev.capsem.process.network.NetworkStage;
import dev.capsem.process.record.LiveEvents;
import dev.capsem.process.record.Recorder;
import dev.capsem.process.rules.SessionRules;
import dev.capsem.sandbox.RunningSandbox;
import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.sandbox.SandboxException;
import dev.capsem.sandbox.SandboxHandleJson;
import dev.capsem.sandbox.SandboxLifecycle;
import dev.capsem.sandbox.SandboxLifecycle.Action;
import dev.capsem.sandbox.SandboxLifecycle.Input;
import dev.capsem.sandbox.SandboxLifecycle.State;
import dev.capsem.telemetry.SessionIdentity;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.telemetry.write.SessionWriter;
import dev.capsem.telemetry.write.WriterStatus;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.io.UnixListener;
import dev.capsem.wire.ipc.FailureCode;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;
import tools.jackson.databind.node.ObjectNode;

/// A sandbox that runs: its parts, and what may happen to it until it is over.
public final class SandboxSession {
    /// After the grace of a stop the agent has sent SIGKILL itself; this much later we do.
    private static final Duration AFTER_GRACE = Duration.ofMillis(500);

    /// The parts of the session.
    public record Parts(
            SandboxDriver driver,
            RunningSandbox running,
            GuestPorts ports,
            AgentSession guest,
            ExecAudit audit,
            SessionWriter writer,
            Recorder recorder,
            LiveEvents live,
            FileWatch watch,
            TerminalLog terminalLog,
            ExecOperation execs,
            SessionRules rules,
            ConfigurationInForce configuration,
            ApprovalQueue desk,
            BudgetDesk budgets,
            GrantsInside inside,
            NetworkStage network,
            McpStage mcp,
            ReadyFile readyFile,
            SessionDirectory directory,
            TaskScope scope) {}

    private final Parts parts;
    private final long startedNanos = System.nanoTime();
    private final CompletableFuture<State> over = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final AtomicBoolean closing = new AtomicBoolean();

    /// Guards the state and everything that must not happen at the same time: freezing, moving, ending.
    private final ReentrantLock lock = new ReentrantLock();

    private State state = new State.Running();

    /// Read without the lock; written only with it.
    private volatile SandboxSpec spec;

    private volatile State shownState = state;

    public SandboxSession(Parts parts, SandboxSpec spec) {
        this.parts = parts;
        this.spec = spec;
    }

    public SandboxSpec spec() {
        return spec;
    }

    public LiveEvents live() {
        return parts.live;
    }

    /// Where questions to a person wait.
    public BudgetDesk budgets() {
        return parts.budgets;
    }

    public ApprovalQueue desk() {
        return parts.desk;
    }

    public McpStage mcp() {
        return parts.mcp;
    }

    public SessionRules rules() {
        return parts.rules;
    }

    /// What the network engines count, and what could not be recorded.
    public ObjectNode metrics() {
        return MetricsJson.of(
                parts.network.counts(),
                parts.mcp.counts(),
                parts.writer.status().droppedEvents(),
                ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO),
                Duration.ofNanos(System.nanoTime() - startedNanos));
    }

    /// Reads the session's configuration again. A bad one changes nothing.
    public SessionRules.Loading reload() {
        SessionRules.Loading loading = parts.configuration.load(spec.sessionDir());
        if (loading instanceof SessionRules.Loading.InForce inForce) {
            placeFiles();
            parts.mcp.reload();
            parts.live.publish(
                    "rules",
                    () -> Json.text(
                            Json.object().put("revision", inForce.revision()).put("rules", inForce.rules())));
        }
        return loading;
    }

    private void placeFiles() {
        try {
            parts.inside.placeFiles();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public long agentPid() {
        return parts.running.pid();
    }

    /// The driver's handle as text, so that a later service can clean up.
    public String handle() {
        return SandboxHandleJson.write(parts.running.handle());
    }

    /// Completes with the last state when the sandbox is over, however it ended.
    public CompletableFuture<State> over() {
        return over;
    }

    /// Completes when everything is written and released.
    public CompletableFuture<Void> closed() {
        return closed;
    }

    /// Commands, while the sandbox takes any.
    public Optional<ExecOperation> execs() {
        return shownState instanceof State.Running ? Optional.of(parts.execs) : Optional.empty();
    }

    public String stateName() {
        return switch (shownState) {
            case State.Creating s -> "Creating";
            case State.Running s -> "Running";
            case State.Suspended s -> "Suspended";
            case State.Stopping s -> "Stopping";
            case State.Stopped s -> "Stopped";
            case State.Defunct s -> "Defunct";
        };
    }

    public ProcessMessage.Status status() {
        WriterStatus writer = parts.writer.status();
        Map<String, Long> counters = new HashMap<>(writer.counters());
        counters.put("file_watch_gaps", parts.watch.gaps());
        counters.put("exec_audit_missed", parts.audit.missed());
        counters.put("running_execs", (long) parts.guest.running());
        counters.put("rules", (long) parts.rules.size());
        counters.put("pending_questions", (long) parts.desk.waiting());
        return new ProcessMessage.Status(
                Optional.of(spec.id().value()),
                stateName(),
                Duration.ofNanos(System.nanoTime() - startedNanos).toMillis(),
                counters,
                writer.droppedEvents(),
                parts.rules.problem(),
                writer.problem()
                        .map(problem -> "nothing new may begin, because it could not be recorded: " + problem.cause()
                                + "; " + problem.remedy()),
                parts.audit.problem());
    }

    /// Lets the lifecycle decide what an input means and carries it out. Answers why it was refused, if it was.
    public Optional<String> happened(Input input) {
        lock.lock();
        try {
            SandboxLifecycle.Step step = SandboxLifecycle.step(state, input);
            Optional<String> refusal = Optional.empty();
            for (Action action : step.actions()) {
                refusal = refusal.or(() -> carryOut(action, step.state()));
            }
            become(step.state());
            return refusal;
        } finally {
            lock.unlock();
        }
    }

    /// Puts on record that a limit is about to stop it, and why.
    public void stoppedByLimit(String reason) {
        parts.recorder.stoppedByLimit(reason);
    }

    /// Freezes the sandbox, brings session.db up to date and leaves both alone while `meanwhile` runs.
    public void holdStill(Runnable meanwhile) {
        lock.lock();
        try {
            boolean runs = state instanceof State.Running;
            if (runs) {
                parts.running.freeze();
            }
            try {
                SessionWriter.Hold hold = parts.writer.hold();
                try {
                    meanwhile.run();
                } finally {
                    hold.release();
                }
            } finally {
                if (runs) {
                    parts.running.thaw();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /// Moves the session directory and the instance socket, and goes on under the new id. When the directory cannot be
    /// moved nothing has changed.
    public void relocate(ServiceMessage.Relocate to, UnixListener instance) throws IOException {
        lock.lock();
        try {
            SandboxSpec before = spec;
            SandboxSpec after = new SandboxSpec(
                    to.newId(),
                    to.newSessionDir(),
                    before.runtimeDir(),
                    before.limits(),
                    before.environment(),
                    before.project(),
                    before.view(),
                    before.profileId(),
                    before.userId());
            parts.writer.relocate(
                    after.sessionDir().resolve("session.db"),
                    identity(after),
                    () -> move(before.sessionDir(), after.sessionDir()));
            spec = after;
            parts.directory.moveTo(after.sessionDir());
            parts.recorder.rename(after.id());
            parts.terminalLog.moveTo(after.sessionDir().resolve("pty.log"));
            parts.watch.restart(after, parts.scope);
            instance.moveTo(to.newInstanceSocket());
            parts.readyFile.moveTo(to.newInstanceSocket());
        } finally {
            lock.unlock();
        }
    }

    /// Writes and releases everything. Safe to call twice and from several threads: all return when it is done.
    public void close() {
        if (closing.compareAndSet(false, true)) {
            try {
                closeParts();
            } finally {
                closed.complete(null);
            }
        }
        closed.join();
    }

    static SessionIdentity identity(SandboxSpec spec) {
        return new SessionIdentity(spec.id().value(), spec.profileId(), spec.userId());
    }

    /// The sandbox was not asked to end, but this process was: nothing of it may stay behind.
    public void destroyNow() {
        destroy();
        close();
    }

    private void closeParts() {
        parts.readyFile.delete();
        parts.desk.close();
        parts.network.close();
        parts.mcp.close();
        parts.recorder.lifecycle(EventType.SANDBOX_STOP);
        parts.guest.close();
        parts.watch.close();
        parts.writer.close();
        parts.live.close();
        parts.terminalLog.close();
        parts.ports.close();
        try {
            parts.driver.cleanUp(parts.running.handle());
        } catch (SandboxException e) {
            log().atWarn().addKeyValue("code", e.code()).log("sandbox.cleanup_failed");
        }
    }

    private Optional<String> carryOut(Action action, State next) {
        switch (action) {
            case Action.Freeze a -> parts.running.freeze();
            case Action.Thaw a -> parts.running.thaw();
            case Action.AskShutdown(Duration grace) -> {
                parts.guest.shutdown(grace);
                parts.scope.start(() -> endAfter(grace.plus(AFTER_GRACE)));
            }
            case Action.Destroy a -> destroy();
            case Action.Conclude a -> over.complete(next);
            case Action.Refuse(String reason) -> {
                return Optional.of(reason);
            }
        }
        return Optional.empty();
    }

    /// What cannot be destroyed now dies with this process, which ends all the same.
    private void destroy() {
        try {
            parts.running.destroy();
        } catch (SandboxException e) {
            log().atError().addKeyValue("code", e.code()).log("sandbox.destroy_failed");
        }
    }

    private void become(State next) {
        boolean changed = !next.equals(state);
        state = next;
        shownState = next;
        if (changed) {
            LoggingEventBuilder line = log().atInfo().addKeyValue("state", stateName());
            (next instanceof State.Defunct(String reason) ? line.addKeyValue("reason", reason) : line)
                    .log("sandbox.state");
            parts.live.publish(
                    "state",
                    () -> Json.text(Json.object().put("id", spec.id().value()).put("state", stateName())));
        }
    }

    private void endAfter(Duration time) {
        try {
            Thread.sleep(time);
            happened(new Input.GraceElapsed());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void move(Path from, Path to) {
        try {
            Files.createDirectories(to.toAbsolutePath().getParent());
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Why a request could not be carried out, for the one who made it.
    public static Optional<ProcessMessage.Failed> failure(RuntimeException e) {
        return switch (e) {
            case SandboxException s ->
                Optional.of(new ProcessMessage.Failed(
                        FailureCode.DRIVER_FAILED, String.valueOf(s.getMessage()), s.remedy()));
            case TelemetryException t ->
                Optional.of(new ProcessMessage.Failed(
                        FailureCode.DATABASE_FAILED, String.valueOf(t.getMessage()), "try again"));
            default -> Optional.empty();
        };
    }

    /// Asked for only when there is something to say: setting up the logging library is slower than starting a sandbox.
    private static Logger log() {
        return LoggerFactory.getLogger(SandboxSession.class);
    }
}
