package dev.capsem.process;

import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.exchange.leak.LeakGate;
import dev.capsem.llm.ModelObserver;
import dev.capsem.llm.trace.TraceState;
import dev.capsem.mcp.record.CallTraces;
import dev.capsem.network.tls.AuthorityKeys;
import dev.capsem.process.approve.ApprovalQueue;
import dev.capsem.process.approve.Patience;
import dev.capsem.process.budget.BudgetDesk;
import dev.capsem.process.configuration.ConfigurationInForce;
import dev.capsem.process.configuration.SessionDirectory;
import dev.capsem.process.door.RefuseAll;
import dev.capsem.process.exec.CommandGuard;
import dev.capsem.process.exec.ExecOperation;
import dev.capsem.process.exec.TerminalLog;
import dev.capsem.process.grant.GrantsInside;
import dev.capsem.process.guest.AgentSession;
import dev.capsem.process.guest.ExecAudit;
import dev.capsem.process.mcp.McpStage;
import dev.capsem.process.mcp.ToolPrograms;
import dev.capsem.process.network.NetworkStage;
import dev.capsem.process.network.SessionResolver;
import dev.capsem.process.record.FileEvidence;
import dev.capsem.process.record.LiveEvents;
import dev.capsem.process.record.Recorder;
import dev.capsem.process.record.WatchedSink;
import dev.capsem.process.rules.SessionRules;
import dev.capsem.process.session.FileWatch;
import dev.capsem.process.session.ReadyFile;
import dev.capsem.process.session.SandboxSession;
import dev.capsem.process.session.SandboxStart.Booted;
import dev.capsem.process.session.SandboxStart.Installation;
import dev.capsem.process.session.SandboxStart.Wiring;
import dev.capsem.process.session.StartFailedException;
import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.sandbox.SandboxLifecycle.Input;
import dev.capsem.sandbox.bwrap.BwrapFiles;
import dev.capsem.sandbox.bwrap.ToolSandbox;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.guest.GuestPort;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.ipc.FailureCode;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.slf4j.LoggerFactory;

/// Puts a session together, from its record up to its stages: whatever stands below is made before it is used.
///
/// @param scope the sandbox's own threads
/// @param rules where nothing is in force yet
record SessionWiring(
        SandboxDriver driver,
        TaskScope scope,
        InstantSource clock,
        IdSource ids,
        SessionRules rules,
        Installation installation)
        implements Wiring {
    @Override
    public SandboxSession wire(Booted booted) {
        SandboxSpec spec = booted.spec();
        ConfigurationInForce configuration = booted.configuration();
        SessionDirectory directory = new SessionDirectory(spec.sessionDir());
        LiveEvents live = new LiveEvents(text -> configuration.now().clean(text));
        WatchedSink sink = new WatchedSink(booted.writer(), live::publish);
        Recorder recorder = new Recorder(sink, ids, clock, spec, configuration::now);
        ExecAudit audit = new ExecAudit(
                clock, recorder::programsStarted, reason -> scope.start(() -> recorder.execAuditOff(reason)));
        FileWatch watch = new FileWatch(new FileEvidence(recorder, rules.engine()), clock);

        TraceState traces = new TraceState();
        SessionResolver names = new SessionResolver(configuration, scope);
        ApprovalQueue desk = desk(configuration, names, live);
        BudgetDesk budgets = budgets(configuration, live);

        AgentSession guest =
                new AgentSession(booted.connections(), booted.writer().lastExecId(), audit);
        TerminalLog terminalLog = new TerminalLog(spec.sessionDir().resolve("pty.log"));
        GrantsInside inside = new GrantsInside(
                guest, () -> configuration.now().grants(), spec.environment().keySet());
        CompletableFuture<Void> ready = new CompletableFuture<>();
        CommandGuard commands = new CommandGuard(ready, rules.engine(), desk, rules::problem);
        ExecOperation execs = new ExecOperation(guest, commands, inside::furnish, recorder, terminalLog, clock);
        SecurityGate gate =
                new LeakGate(rules.engine(), () -> configuration.now().grants().grants());
        McpStage mcp =
                mcp(booted, directory, new McpStage.Neighbours(gate, desk, recorder, sink, ids, calls(traces), clock));
        NetworkStage network = new NetworkStage(
                new NetworkStage.Neighbours(
                        gate,
                        desk,
                        budgets,
                        recorder,
                        sink,
                        ids,
                        traces,
                        names,
                        Optional.of(mcp),
                        new RefuseAll(recorder, clock)),
                configuration,
                installation.home());

        SandboxSession.Parts parts = new SandboxSession.Parts(
                driver,
                booted.running(),
                booted.ports(),
                guest,
                audit,
                booted.writer(),
                recorder,
                live,
                watch,
                terminalLog,
                execs,
                rules,
                configuration,
                desk,
                budgets,
                inside,
                network,
                mcp,
                new ReadyFile(booted.instanceSocket()),
                directory,
                scope);
        SandboxSession session = new SandboxSession(parts, spec);
        start(session, parts);
        CompletableFuture<Void> _ = configuration.loaded().thenRun(() -> furnished(configuration, inside, ready));
        return session;
    }

    private ApprovalQueue desk(ConfigurationInForce configuration, SessionResolver names, LiveEvents live) {
        return new ApprovalQueue(
                clock,
                Patience.in(
                        installation.environment(), () -> configuration.now().waitsUnwatched()),
                new ApprovalQueue.Foresight(rules::remedy, names::leadsTo, rules::reads),
                live,
                scope);
    }

    /// Ids of calls are unique over all processes and time, because the service keeps them.
    private static BudgetDesk budgets(ConfigurationInForce configuration, LiveEvents live) {
        return new BudgetDesk(
                () -> configuration.now().budgets(), UUID.randomUUID().toString(), warning -> {
                    LoggerFactory.getLogger(BudgetDesk.class)
                            .atWarn()
                            .addKeyValue("warning", warning)
                            .log("budget.warning");
                    live.publish("budget", () -> Json.text(Json.object().put("warning", warning)));
                });
    }

    /// The calls that models ask for, as MCP carries them out.
    private CallTraces calls(TraceState traces) {
        return (tool, _) -> ModelObserver.toolCall(traces, tool, clock.instant())
                .map(call -> new CallTraces.Asked(call.trace(), call.callId()));
    }

    private McpStage mcp(Booted booted, SessionDirectory directory, McpStage.Neighbours neighbours) {
        Path home = installation.home();
        ToolPrograms programs = new ToolPrograms(
                installation.dist(),
                Path.of(System.getProperty("java.home", "/usr")),
                new ToolSandbox(BwrapFiles.in(installation.dist(), home)),
                directory);
        return new McpStage(
                neighbours,
                booted.configuration(),
                new McpStage.Surroundings(
                        directory,
                        booted.spec().runtimeDir(),
                        home.resolve("mcp").resolve(booted.spec().profileId()),
                        booted.secrets(),
                        () -> certificate(installation.authorityDir()),
                        booted.running().pid(),
                        installation.environment()),
                programs,
                scope);
    }

    private static String certificate(Path authorityDir) {
        try {
            Path own = authorityDir.resolve("capsem-ca.crt");
            return Files.exists(own)
                    ? Files.readString(own)
                    : AuthorityKeys.builtIn().certificatePem();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Nothing of the guest is heard before all that it reaches is there.
    private void start(SandboxSession session, SandboxSession.Parts parts) {
        scope.start(parts.audit()::run);
        parts.ports().give(GuestPort.NETWORK, parts.network()::connected, scope);
        parts.ports().serve(GuestPort.DNS, parts.network()::asked, scope);
        parts.watch().restart(session.spec(), scope);
        parts.recorder().lifecycle(EventType.SANDBOX_START);
        markReady(parts.readyFile());
        parts.guest().start(scope, reason -> scope.start(() -> session.happened(new Input.AgentLost(reason))));
        CompletableFuture<Void> _ = parts.configuration().loaded().thenRun(() -> scope.start(rules::log));
        scope.start(parts.network()::run);
        scope.start(parts.mcp()::run);
        scope.start(() ->
                session.happened(new Input.TreeExited(parts.running().exit().join())));
    }

    /// Commands begin when the files of grants are there.
    private void furnished(ConfigurationInForce configuration, GrantsInside inside, CompletableFuture<Void> ready) {
        if (configuration.now().grants().files().isEmpty()) {
            ready.complete(null);
            return;
        }
        scope.start(() -> {
            try {
                inside.placeFiles();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                ready.complete(null);
            }
        });
    }

    private static void markReady(ReadyFile readyFile) {
        try {
            readyFile.create();
        } catch (IOException e) {
            throw new StartFailedException(
                    FailureCode.READY_FAILED,
                    "the mark that the sandbox is ready cannot be made: " + e.getMessage(),
                    "check the run directory: it must be writable, with room on its disk");
        }
    }
}
