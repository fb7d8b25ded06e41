package dev.capsem.process.session;

import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.mcp.record.CallTraces;
import dev.capsem.process.approve.Patience;
import dev.capsem.process.approve.QuestionDesk;
import dev.capsem.process.configuration.ConfigurationInForce;
import dev.capsem.process.door.RefusingNetworkDoor;
import dev.capsem.process.exec.CommandGuard;
import dev.capsem.process.exec.ExecOperation;
import dev.capsem.process.exec.TerminalLog;
import dev.capsem.process.guest.ExecAudit;
import dev.capsem.process.guest.GuestConnections;
import dev.capsem.process.guest.GuestSession;
import dev.capsem.process.io.GuestPorts;
import dev.capsem.process.mcp.McpStage;
import dev.capsem.process.network.NetworkStage;
import dev.capsem.process.record.FileEvidence;
import dev.capsem.process.record.LiveEvents;
import dev.capsem.process.record.Recorder;
import dev.capsem.process.record.WatchedSink;
import dev.capsem.process.rules.Rulebook;
import dev.capsem.profiles.io.HostSecrets;
import dev.capsem.profiles.io.SecretStore;
import dev.capsem.profiles.secret.SecretSource;
import dev.capsem.sandbox.HostProblem;
import dev.capsem.sandbox.RunningSandbox;
import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.sandbox.SandboxException;
import dev.capsem.sandbox.SandboxLifecycle.Input;
import dev.capsem.sandbox.trust.GuestTrust;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.telemetry.write.SessionWriter;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.guest.EnvironmentVariable;
import dev.capsem.wire.guest.GuestMessage;
import dev.capsem.wire.guest.GuestPort;
import dev.capsem.wire.io.TaskScope;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/// Boots a sandbox: ports, process tree, agent, database, in the order that is fastest, and nothing half done when
/// it fails.
public final class SandboxStart {
    private static final Duration BOOT_TIME_MAX = Duration.ofSeconds(30);

    private final SandboxDriver driver;
    private final ExecutorService launchThread;
    private final TaskScope scope;
    private final InstantSource clock;
    private final IdSource ids;
    private final Rulebook rules;
    private final Installation installation;

    /// Where things are on this host.
    ///
    /// @param dist the built programs
    /// @param home `$CAPSEM_HOME`
    /// @param environment of this process
    public record Installation(Path dist, Path home, Map<String, String> environment) {
        public Installation {
            environment = Map.copyOf(environment);
        }

        /// Of the one who runs this host.
        SecretSource secrets() {
            return new HostSecrets(
                    new SecretStore(home.resolve("secrets.json")), Path.of(System.getProperty("user.home", "/")));
        }

        /// Holds a private certificate authority, if its owner made one.
        Path authorityDir() {
            return home.resolve("ca");
        }
    }

    /// @param launchThread runs on the one platform thread that lives as long as this process: the sandbox dies with
    /// the
    ///     thread that started it
    /// @param scope the sandbox's own threads
    /// @param rules where nothing is in force yet
    public SandboxStart(
            SandboxDriver driver,
            ExecutorService launchThread,
            TaskScope scope,
            InstantSource clock,
            IdSource ids,
            Rulebook rules,
            Installation installation) {
        this.driver = driver;
        this.launchThread = launchThread;
        this.scope = scope;
        this.clock = clock;
        this.ids = ids;
        this.rules = rules;
        this.installation = installation;
    }

    /// Returns when the sandbox takes commands. Throws [StartFailedException].
    ///
    /// @param stages told each stage with the time it took
    public SandboxSession start(SandboxSpec spec, Path instanceSocket, BiConsumer<String, Duration> stages)
            throws InterruptedException {
        SerialLog serial = new SerialLog(spec.sessionDir().resolve("serial.log"));
        Stopwatch watch = new Stopwatch(stages, serial);
        CompletableFuture<SessionWriter> database = inScope(() ->
                SessionWriter.open(spec.sessionDir().resolve("session.db"), SandboxSession.identity(spec), clock));
        SecretSource secrets = installation.secrets();
        ConfigurationInForce configuration = new ConfigurationInForce(rules, secrets);
        scope.start(() -> configuration.load(spec.sessionDir()));
        try (Undo undo = new Undo()) {
            undo.add(() -> closeIfOpened(database));
            GuestPorts ports = bind(spec);
            undo.add(ports::close);
            watch.stage("ports");
            RunningSandbox running = launch(spec, serial);
            undo.add(() -> remove(running));
            watch.stage("launch");
            GuestConnections connections = greet(running, ports, spec, serial, watch);
            undo.add(connections::close);
            SessionWriter writer = await(database);
            watch.stage("database");
            SandboxSession session =
                    assemble(spec, instanceSocket, ports, running, connections, writer, configuration, secrets);
            undo.forget();
            return session;
        }
    }

    private SandboxSession assemble(
            SandboxSpec spec,
            Path instanceSocket,
            GuestPorts ports,
            RunningSandbox running,
            GuestConnections connections,
            SessionWriter writer,
            ConfigurationInForce configuration,
            SecretSource secrets) {
        LiveEvents live = new LiveEvents();
        WatchedSink sink = new WatchedSink(writer, live::publish);
        Recorder recorder = new Recorder(sink, ids, clock, spec, configuration::now);
        CompletableFuture<SandboxSession> itself = new CompletableFuture<>();
        ExecAudit audit = new ExecAudit(
                clock, recorder::programsStarted, reason -> scope.start(() -> recorder.execAuditOff(reason)));
        GuestSession guest = new GuestSession(
                connections,
                writer.lastExecId(),
                audit,
                reason -> scope.start(() -> itself.join().happened(new Input.AgentLost(reason))));
        TerminalLog terminalLog = new TerminalLog(spec.sessionDir().resolve("pty.log"));
        AtomicReference<Optional<NetworkStage>> models = new AtomicReference<>(Optional.empty());
        QuestionDesk desk = new QuestionDesk(
                clock,
                Patience.in(
                        installation.environment(), () -> configuration.now().waitsUnwatched()),
                new QuestionDesk.Foresight(
                        rules::remedy,
                        host -> Objects.requireNonNull(models.get()).flatMap(stage -> stage.leadsTo(host)),
                        rules::reads),
                live,
                scope);
        FileWatch watch = new FileWatch(new FileEvidence(recorder, rules.engine()), clock);
        CommandGuard commands = new CommandGuard(configuration.loaded(), rules.engine(), desk, rules::problem);
        ExecOperation execs = new ExecOperation(guest, commands, recorder, terminalLog, clock);
        Supplier<Path> sessionDir = () -> itself.isDone() ? itself.join().spec().sessionDir() : spec.sessionDir();
        McpStage mcp = McpParts.of(
                installation,
                new McpStage.Neighbours(rules.engine(), desk, recorder, sink, ids, traces(models::get), clock),
                configuration,
                secrets,
                sessionDir,
                spec,
                running.pid(),
                scope);
        NetworkStage network = new NetworkStage(
                new NetworkStage.Neighbours(
                        rules.engine(),
                        desk,
                        recorder,
                        sink,
                        ids,
                        Optional.of(mcp),
                        new RefusingNetworkDoor(recorder, clock)),
                configuration,
                installation.home(),
                scope);
        models.set(Optional.of(network));
        ReadyFile readyFile = new ReadyFile(instanceSocket);
        SandboxSession session = new SandboxSession(
                new SandboxSession.Parts(
                        driver,
                        running,
                        ports,
                        guest,
                        audit,
                        writer,
                        recorder,
                        live,
                        watch,
                        terminalLog,
                        execs,
                        rules,
                        configuration,
                        desk,
                        network,
                        mcp,
                        readyFile,
                        scope),
                spec);
        guest.start(scope);
        scope.start(audit::run);
        ports.give(GuestPort.NETWORK, network::connected, scope);
        ports.serve(GuestPort.DNS, network::asked, scope);
        watch.restart(spec, scope);
        recorder.lifecycle(EventType.VM_START);
        markReady(readyFile);
        itself.complete(session);
        CompletableFuture<Void> _ = configuration.loaded().thenRun(() -> scope.start(rules::log));
        scope.start(network::run);
        scope.start(mcp::run);
        scope.start(() -> session.happened(new Input.TreeExited(running.exit().join())));
        return session;
    }

    /// MCP and the network are put together one after the other, and the first asks the second.
    private CallTraces traces(Supplier<Optional<NetworkStage>> models) {
        return (tool, _) -> models.get()
                .flatMap(network -> network.toolCall(tool, clock.instant()))
                .map(call -> new CallTraces.Asked(call.trace(), call.callId()));
    }

    private static GuestPorts bind(SandboxSpec spec) {
        try {
            return GuestPorts.bind(spec.runtimeDir());
        } catch (IOException e) {
            throw new StartFailedException(
                    "ports_failed",
                    "the sandbox's sockets cannot be made: " + e.getMessage(),
                    "check the run directory: it must be writable, with room on its disk");
        }
    }

    private RunningSandbox launch(SandboxSpec spec, SerialLog serial) throws InterruptedException {
        try {
            return launchThread.submit(() -> driver.launch(spec, serial.file())).get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SandboxException known) {
                throw new StartFailedException(
                        known.code().name().toLowerCase(Locale.ROOT),
                        String.valueOf(known.getMessage()),
                        known.remedy());
            }
            throw new IllegalStateException("the driver broke", e.getCause());
        }
    }

    /// Waits for the agent and boots it, but no longer than the sandbox lives or its time allows.
    private GuestConnections greet(
            RunningSandbox running, GuestPorts ports, SandboxSpec spec, SerialLog serial, Stopwatch watch)
            throws InterruptedException {
        CompletableFuture<GuestConnections> booted = inScope(() -> {
            GuestConnections connections = ports.acceptAgent();
            watch.stage("agent");
            List<GuestMessage.Stage> stages =
                    connections.boot(nanos(clock.instant()), spec.id().value(), base(spec));
            stages.forEach(stage -> watch.told("agent " + stage.name(), Duration.ofNanos(stage.micros() * 1_000)));
            watch.stage("ready");
            return connections;
        });
        scope.start(() -> booted.completeExceptionally(new IOException("the sandbox ended while it started (exit code "
                + running.exit().join() + ")")));
        try {
            return booted.get(BOOT_TIME_MAX.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw bootFailed(running, String.valueOf(cause.getMessage()), serial);
        } catch (TimeoutException e) {
            throw bootFailed(
                    running, "the agent was not ready within " + BOOT_TIME_MAX.toSeconds() + " seconds", serial);
        }
    }

    private static StartFailedException bootFailed(RunningSandbox running, String cause, SerialLog serial) {
        Optional<HostProblem> problem = running.launchProblem();
        if (problem.isPresent()) {
            return new StartFailedException(
                    problem.get().code(), problem.get().cause(), problem.get().remedy());
        }
        String tail = serial.tail();
        return new StartFailedException(
                "boot_failed",
                tail.isEmpty() ? cause : cause + "; its console says:\n" + tail,
                "see serial.log of the session; run capsem status to check the host");
    }

    private static SessionWriter await(CompletableFuture<SessionWriter> database) throws InterruptedException {
        try {
            return database.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TelemetryException known) {
                throw new StartFailedException(
                        "database_failed",
                        "session.db cannot be opened: " + known.getMessage(),
                        "check the session directory: it must be writable, with room on its disk");
            }
            throw new IllegalStateException("the database broke", e.getCause());
        }
    }

    private static void closeIfOpened(CompletableFuture<SessionWriter> database) {
        try {
            database.join().close();
        } catch (CompletionException e) {
            // It never opened.
        }
    }

    private static void markReady(ReadyFile readyFile) {
        try {
            readyFile.create();
        } catch (IOException e) {
            throw new StartFailedException(
                    "ready_failed",
                    "the mark that the sandbox is ready cannot be made: " + e.getMessage(),
                    "check the run directory: it must be writable, with room on its disk");
        }
    }

    private void remove(RunningSandbox running) {
        running.destroy();
        driver.cleanUp(running.handle());
    }

    private static List<EnvironmentVariable> base(SandboxSpec spec) {
        Map<String, String> environment = GuestTrust.environment();
        environment.putAll(spec.environment());
        // Asks the agent for Execed messages; an older capsem-process, which knows none, does not ask.
        environment.put("CAPSEM_EXEC_AUDIT", "1");
        return environment.entrySet().stream()
                .map(entry -> new EnvironmentVariable(entry.getKey(), entry.getValue()))
                .toList();
    }

    private static long nanos(Instant instant) {
        return TimeUnit.SECONDS.toNanos(instant.getEpochSecond()) + instant.getNano();
    }

    private interface Work<T> {
        T run() throws IOException;
    }

    private <T> CompletableFuture<T> inScope(Work<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        scope.start(() -> {
            try {
                result.complete(work.run());
            } catch (IOException | RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }
}
