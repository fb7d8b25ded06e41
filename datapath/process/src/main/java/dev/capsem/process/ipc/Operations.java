package dev.capsem.process.ipc;

import dev.capsem.process.approve.ApprovalQueue;
import dev.capsem.process.exec.ExecOperation;
import dev.capsem.process.mcp.McpStage;
import dev.capsem.process.record.LiveEvents;
import dev.capsem.process.rules.SessionRules;
import dev.capsem.process.session.SandboxSession;
import dev.capsem.process.session.SandboxStart;
import dev.capsem.process.session.StartFailedException;
import dev.capsem.sandbox.SandboxLifecycle.Input;
import dev.capsem.security.DetectionStat;
import dev.capsem.security.RuleStat;
import dev.capsem.security.SecurityEngine;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.io.Deadline;
import dev.capsem.wire.io.IpcConnection;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.io.UnixListener;
import dev.capsem.wire.ipc.FailureCode;
import dev.capsem.wire.ipc.IpcProtocol;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Serves one connection at a time on each of many threads.
public final class Operations {
    /// A fork copies the whole session in this time; then the sandbox goes on, fork or not.
    private static final Duration HOLD_TIME_MAX = Duration.ofMinutes(10);

    private final SandboxStart start;
    private final UnixListener instance;
    private final Consumer<SandboxSpec> onAssigned;
    private final long startedNanos = System.nanoTime();
    private final AtomicBoolean taken = new AtomicBoolean();
    private final CompletableFuture<SandboxSession> session = new CompletableFuture<>();

    /// @param onAssigned told before the sandbox starts
    public Operations(SandboxStart start, UnixListener instance, Consumer<SandboxSpec> onAssigned) {
        this.start = start;
        this.instance = instance;
        this.onAssigned = onAssigned;
    }

    /// Completes when the sandbox of this process runs; fails when it could not be started.
    public CompletableFuture<SandboxSession> session() {
        return session;
    }

    public boolean isSpare() {
        return !taken.get();
    }

    /// Reads the first message of the connection and does what it asks.
    public void serve(IpcConnection<ServiceMessage, ProcessMessage> connection) {
        try {
            Optional<ServiceMessage> first = connection.receive();
            if (first.isPresent()) {
                switch (first.get()) {
                    case ServiceMessage.Request request -> serve(connection, request);
                    case ServiceMessage.Hello _,
                            ServiceMessage.ExecInput _,
                            ServiceMessage.ApprovalReply _,
                            ServiceMessage.BudgetReply _,
                            ServiceMessage.Release _ -> connection.send(unexpected());
                }
            }
        } catch (IpcException e) {
            dropped(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// One fixed event name for everything that gets lost between service and process.
    public static void dropped(IpcException e) {
        log().atWarn()
                .addKeyValue("code", e.code())
                .addKeyValue("reason", e.getMessage())
                .log(IpcProtocol.DROPPED_EVENT);
    }

    private void serve(IpcConnection<ServiceMessage, ProcessMessage> connection, ServiceMessage.Request request)
            throws InterruptedException {
        switch (request) {
            case ServiceMessage.Assign assign -> assign(connection, assign);
            case ServiceMessage.GetStatus _ -> connection.send(status());
            case ServiceMessage.SandboxRequest _
            when !session.isDone() || session.isCompletedExceptionally() ->
                connection.send(new ProcessMessage.Failed(
                        FailureCode.NOT_ASSIGNED,
                        "this process has no sandbox yet",
                        "assign one, or wait until it is ready"));
            case ServiceMessage.SandboxRequest ofSandbox -> serve(connection, ofSandbox, session.join());
        }
    }

    private void serve(
            IpcConnection<ServiceMessage, ProcessMessage> connection,
            ServiceMessage.SandboxRequest request,
            SandboxSession sandbox)
            throws InterruptedException {
        switch (request) {
            case ServiceMessage.Exec m -> {
                Optional<ExecOperation> execs = execs(connection, sandbox);
                if (execs.isPresent()) {
                    execs.get().command(connection, m);
                }
            }
            case ServiceMessage.FileOperation m -> {
                Optional<ExecOperation> execs = execs(connection, sandbox);
                if (execs.isPresent()) {
                    execs.get().fileOperation(connection, m);
                }
            }
            case ServiceMessage.Suspend _ -> change(connection, sandbox, new Input.SuspendRequested());
            case ServiceMessage.Resume _ -> change(connection, sandbox, new Input.ResumeRequested());
            case ServiceMessage.HoldStill _ -> attempt(connection, () -> holdStill(connection, sandbox));
            case ServiceMessage.Relocate m -> attempt(connection, () -> relocate(sandbox, m));
            case ServiceMessage.Stop m -> stop(connection, sandbox, m);
            case ServiceMessage.Subscribe _ -> subscribe(connection, sandbox);
            case ServiceMessage.Attend _ -> attend(connection, sandbox.desk());
            case ServiceMessage.KeepBudgets _ -> BudgetConversation.hold(connection, sandbox.budgets());
            case ServiceMessage.ReloadConfig _ -> connection.send(reload(sandbox));
            case ServiceMessage.GetMetrics _ ->
                connection.send(new ProcessMessage.Metrics(Json.text(sandbox.metrics())));
            case ServiceMessage.GetRuleStats _ ->
                connection.send(ruleStats(sandbox.rules().engine()));
            case ServiceMessage.GetTools _ ->
                connection.send(new ProcessMessage.Tools(sandbox.mcp().tools()));
            case ServiceMessage.ApproveTools m -> connection.send(approve(sandbox.mcp(), m.names()));
        }
    }

    private void assign(IpcConnection<ServiceMessage, ProcessMessage> connection, ServiceMessage.Assign assign)
            throws InterruptedException {
        if (!taken.compareAndSet(false, true)) {
            connection.send(new ProcessMessage.Failed(
                    FailureCode.ALREADY_ASSIGNED, "this process already runs a sandbox", "assign to a spare process"));
            return;
        }
        try {
            // First, so that a service that starts after a crash finds this process under its sandbox's name.
            instance.moveTo(assign.instanceSocket());
            onAssigned.accept(assign.spec());
            Listener listener = new Listener(connection);
            SandboxSession started = start.start(assign.spec(), assign.instanceSocket(), listener::stage);
            session.complete(started);
            listener.tell(new ProcessMessage.Assigned(started.agentPid(), started.handle()));
        } catch (StartFailedException e) {
            connection.send(new ProcessMessage.Failed(e.code(), e.reason(), e.remedy()));
            session.completeExceptionally(e);
        } catch (IOException e) {
            connection.send(new ProcessMessage.Failed(
                    FailureCode.SOCKET_FAILED, "the instance socket cannot be renamed", "check the run directory"));
            session.completeExceptionally(e);
        } catch (RuntimeException | InterruptedException e) {
            session.completeExceptionally(e);
            throw e;
        }
    }

    /// Tells how the start goes to a service that may die meanwhile: the sandbox starts all the same, and the next
    /// service finds it.
    private record Listener(IpcConnection<ServiceMessage, ProcessMessage> connection) {
        void stage(String name, Duration took) {
            tell(new ProcessMessage.BootStage(name, took));
        }

        void tell(ProcessMessage message) {
            try {
                connection.send(message);
            } catch (IpcException e) {
                dropped(e);
            }
        }
    }

    private ProcessMessage.Status status() {
        if (session.isDone() && !session.isCompletedExceptionally()) {
            return session.join().status();
        }
        long uptime = Duration.ofNanos(System.nanoTime() - startedNanos).toMillis();
        return new ProcessMessage.Status(Optional.empty(), taken.get() ? "Creating" : "Spare", uptime, Map.of(), 0);
    }

    private static Optional<ExecOperation> execs(
            IpcConnection<ServiceMessage, ProcessMessage> connection, SandboxSession sandbox) {
        Optional<ExecOperation> execs = sandbox.execs();
        if (execs.isEmpty()) {
            connection.send(new ProcessMessage.Failed(
                    FailureCode.NOT_RUNNING,
                    "the sandbox is " + sandbox.stateName().toLowerCase(Locale.ROOT),
                    "resume it first"));
        }
        return execs;
    }

    private static void change(
            IpcConnection<ServiceMessage, ProcessMessage> connection, SandboxSession sandbox, Input input) {
        attempt(connection, () -> {
            Optional<String> refusal = sandbox.happened(input);
            if (refusal.isPresent()) {
                throw new RefusedException(refusal.get());
            }
        });
    }

    private static void holdStill(IpcConnection<ServiceMessage, ProcessMessage> connection, SandboxSession sandbox) {
        sandbox.holdStill(() -> {
            connection.send(new ProcessMessage.Done());
            try (Deadline _ = connection.deadline(HOLD_TIME_MAX)) {
                connection.receive(ServiceMessage.Release.class);
            } catch (IpcException e) {
                dropped(e);
            }
        });
    }

    private void relocate(SandboxSession sandbox, ServiceMessage.Relocate to) {
        try {
            sandbox.relocate(to, instance);
        } catch (IOException e) {
            throw new RefusedException("the instance socket cannot be renamed: " + e.getMessage());
        }
    }

    private static void stop(
            IpcConnection<ServiceMessage, ProcessMessage> connection,
            SandboxSession sandbox,
            ServiceMessage.Stop wish) {
        attempt(connection, () -> {
            wish.limit().ifPresent(sandbox::stoppedByLimit);
            sandbox.happened(new Input.StopRequested(wish.grace()));
            sandbox.closed().join();
        });
    }

    private static void subscribe(IpcConnection<ServiceMessage, ProcessMessage> connection, SandboxSession sandbox)
            throws InterruptedException {
        Thread watching = Thread.currentThread();
        try (LiveEvents.Watcher watcher = sandbox.live().watch();
                TaskScope scope = new TaskScope("subscribe", (thread, failure) -> watching.interrupt())) {
            scope.start(() -> {
                untilClosed(connection);
                watching.interrupt();
            });
            for (var event = watcher.next(); event.isPresent(); event = watcher.next()) {
                connection.send(
                        new ProcessMessage.Event(event.get().kind(), event.get().json()));
                long missed = watcher.takeMissed();
                if (missed > 0) {
                    log().atWarn().addKeyValue("missed", missed).log(IpcProtocol.DROPPED_EVENT);
                    connection.send(new ProcessMessage.Event(
                            "missed", Json.text(Json.object().put("count", missed))));
                }
            }
        }
    }

    private static void attend(IpcConnection<ServiceMessage, ProcessMessage> connection, ApprovalQueue desk)
            throws InterruptedException {
        Thread attending = Thread.currentThread();
        try (ApprovalQueue.Attendant attendant = desk.attend();
                TaskScope scope = new TaskScope("attend", (thread, failure) -> attending.interrupt())) {
            scope.start(() -> {
                takeReplies(connection, desk);
                attending.interrupt();
            });
            Optional<ProcessMessage> told = attendant.next();
            while (told.isPresent()) {
                connection.send(told.get());
                told = attendant.next();
            }
        }
    }

    /// Until the connection closes, or says what does not belong here.
    private static void takeReplies(IpcConnection<ServiceMessage, ProcessMessage> connection, ApprovalQueue desk) {
        try {
            var message = connection.receive(ServiceMessage.ApprovalReply.class);
            while (message.isPresent()) {
                switch (message.get()) {
                    case ServiceMessage.Reply reply -> desk.reply(reply);
                    case ServiceMessage.Unwatched unwatched -> desk.unwatched(unwatched.question());
                    case ServiceMessage.Prepare prepare -> desk.prepare(prepare.question());
                }
                message = connection.receive(ServiceMessage.ApprovalReply.class);
            }
        } catch (IpcException e) {
            // Closed is closed.
        }
    }

    private static ProcessMessage reload(SandboxSession sandbox) {
        return switch (sandbox.reload()) {
            case SessionRules.Loading.InForce(String revision, int rules, List<String> warnings) ->
                new ProcessMessage.Reloaded(revision, rules, warnings);
            case SessionRules.Loading.Refused(List<String> problems) ->
                new ProcessMessage.Failed(
                        FailureCode.RULES_REFUSED,
                        String.join("\n", problems),
                        "correct them and reload; until then the rules before stay in force");
        };
    }

    private static ProcessMessage.RuleStats ruleStats(SecurityEngine engine) {
        ObjectNode json = Json.object().put("generation", engine.generation());
        ArrayNode rules = json.putArray("rules");
        for (RuleStat stat : engine.stats()) {
            ObjectNode rule = rules.addObject().put("id", stat.id().value()).put("match_count", stat.matches());
            stat.last()
                    .ifPresent(event -> rule.put("last_event_id", event.id().value())
                            .put("last_matched_unix_ms", event.at().toEpochMilli()));
        }
        ArrayNode detections = json.putArray("detections");
        for (DetectionStat stat : engine.detectionStats()) {
            ObjectNode detection = detections
                    .addObject()
                    .put("id", stat.id())
                    .put("pack_id", stat.packId())
                    .put("match_count", stat.matches());
            stat.last()
                    .ifPresent(event -> detection
                            .put("last_event_id", event.id().value())
                            .put("last_matched_unix_ms", event.at().toEpochMilli()));
        }
        return new ProcessMessage.RuleStats(Json.text(json));
    }

    private static ProcessMessage approve(McpStage mcp, List<String> names) {
        List<String> unknown = mcp.approve(names);
        return unknown.isEmpty()
                ? new ProcessMessage.Tools(mcp.tools())
                : new ProcessMessage.Failed(
                        FailureCode.TOOL_NOT_FOUND,
                        "there is no such tool: " + String.join(", ", unknown),
                        "list the tools of the sandbox first");
    }

    private static void untilClosed(IpcConnection<ServiceMessage, ProcessMessage> connection) {
        try {
            while (connection.receive().isPresent()) {
                // Nothing is expected here, and nothing means the end.
            }
        } catch (IpcException e) {
            // Closed is closed.
        }
    }

    private static final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        RefusedException(String reason) {
            super(reason);
        }
    }

    /// Done, or why not.
    private static void attempt(IpcConnection<ServiceMessage, ProcessMessage> connection, Runnable work) {
        ProcessMessage answer;
        try {
            work.run();
            answer = new ProcessMessage.Done();
        } catch (RefusedException e) {
            answer = new ProcessMessage.Failed(
                    FailureCode.REFUSED, String.valueOf(e.getMessage()), "look at the sandbox's state first");
        } catch (IpcException e) {
            throw e;
        } catch (RuntimeException e) {
            answer = SandboxSession.failure(e).orElseThrow(() -> e);
        }
        connection.send(answer);
    }

    private static ProcessMessage.Failed unexpected() {
        return new ProcessMessage.Failed(
                FailureCode.UNEXPECTED_MESSAGE,
                "an operation does not begin with this message",
                "this is a bug: report it");
    }

    /// Asked for only when there is something to say: setting up the logging library is slower than starting a sandbox.
    private static Logger log() {
        return LoggerFactory.getLogger(Operations.class);
    }
}
