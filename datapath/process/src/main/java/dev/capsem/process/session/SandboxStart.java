package dev.capsem.process.session;

import dev.capsem.process.configuration.ConfigurationInForce;
import dev.capsem.process.grant.DumpableNative;
import dev.capsem.process.grant.GrantLoader;
import dev.capsem.process.guest.GuestConnections;
import dev.capsem.process.io.GuestPorts;
import dev.capsem.process.rules.SessionRules;
import dev.capsem.profiles.io.HostGrantValues;
import dev.capsem.profiles.io.HostSecrets;
import dev.capsem.profiles.io.SecretStore;
import dev.capsem.profiles.launch.SecretTool;
import dev.capsem.profiles.secret.Keyring;
import dev.capsem.profiles.secret.SecretSource;
import dev.capsem.sandbox.HostProblem;
import dev.capsem.sandbox.RunningSandbox;
import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.sandbox.SandboxException;
import dev.capsem.sandbox.trust.GuestTrust;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.telemetry.write.SessionWriter;
import dev.capsem.telemetry.write.WriterSettings;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.guest.EnvironmentVariable;
import dev.capsem.wire.guest.GuestMessage;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.ipc.FailureCode;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;

/// Boots a sandbox: ports, process tree, agent, database, in the order that is fastest, and nothing half done when
/// it fails.
public final class SandboxStart {
    private static final Duration BOOT_TIME_MAX = Duration.ofSeconds(30);

    private final SandboxDriver driver;
    private final ExecutorService launchThread;
    private final TaskScope scope;
    private final InstantSource clock;
    private final SessionRules rules;
    private final Installation installation;
    private final Wiring wiring;

    /// Makes a session of a sandbox that has booted, and starts what runs beside it.
    public interface Wiring {
        /// Throws [StartFailedException].
        SandboxSession wire(Booted booted);
    }

    /// A sandbox whose agent is ready.
    ///
    /// @param running its process tree
    /// @param secrets of this host
    public record Booted(
            SandboxSpec spec,
            Path instanceSocket,
            GuestPorts ports,
            RunningSandbox running,
            GuestConnections connections,
            SessionWriter writer,
            ConfigurationInForce configuration,
            SecretSource secrets) {}

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
        public SecretSource secrets() {
            return new HostSecrets(store(new SecretTool()), Path.of(System.getProperty("user.home", "/")));
        }

        private SecretStore store(Keyring keyring) {
            return new SecretStore(home.resolve("secrets.json"), keyring);
        }

        GrantLoader grants(InstantSource clock) {
            Keyring keyring = new SecretTool();
            return new GrantLoader(
                    new HostGrantValues(store(keyring), keyring, environment, clock),
                    DumpableNative::close,
                    new SecureRandom(),
                    clock);
        }

        /// Holds a private certificate authority, if its owner made one.
        public Path authorityDir() {
            return home.resolve("ca");
        }
    }

    /// @param launchThread the one platform thread that lives as long as this process: the sandbox dies with the thread
    ///     that started it
    /// @param scope the sandbox's own threads
    /// @param rules where nothing is in force yet
    public SandboxStart(
            SandboxDriver driver,
            ExecutorService launchThread,
            TaskScope scope,
            InstantSource clock,
            SessionRules rules,
            Installation installation,
            Wiring wiring) {
        this.driver = driver;
        this.launchThread = launchThread;
        this.scope = scope;
        this.clock = clock;
        this.rules = rules;
        this.installation = installation;
        this.wiring = wiring;
    }

    /// Returns when the sandbox takes commands. Throws [StartFailedException].
    ///
    /// @param stages told each stage with the time it took
    public SandboxSession start(SandboxSpec spec, Path instanceSocket, BiConsumer<String, Duration> stages)
            throws InterruptedException {
        SerialLog serial = new SerialLog(spec.sessionDir().resolve("serial.log"));
        Stopwatch watch = new Stopwatch(stages, serial);
        SecretSource secrets = installation.secrets();
        ConfigurationInForce configuration =
                new ConfigurationInForce(rules, secrets, installation.grants(clock), scope::start);
        CompletableFuture<SessionWriter> database = inScope(() -> SessionWriter.open(
                spec.sessionDir().resolve("session.db"),
                SandboxSession.identity(spec),
                clock,
                WriterSettings.DEFAULT,
                text -> configuration.now().cleanRecord(text)));
        scope.start(() -> configuration.load(spec.sessionDir()));
        try (Rollback undo = new Rollback()) {
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
            SandboxSession session = wiring.wire(
                    new Booted(spec, instanceSocket, ports, running, connections, writer, configuration, secrets));
            undo.forget();
            return session;
        }
    }

    private static GuestPorts bind(SandboxSpec spec) {
        try {
            return GuestPorts.bind(spec.runtimeDir());
        } catch (IOException e) {
            throw new StartFailedException(
                    FailureCode.PORTS_FAILED,
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
                        FailureCode.DRIVER_FAILED, String.valueOf(known.getMessage()), known.remedy());
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
                    FailureCode.HOST_UNFIT, problem.get().cause(), problem.get().remedy());
        }
        String tail = serial.tail();
        return new StartFailedException(
                FailureCode.BOOT_FAILED,
                tail.isEmpty() ? cause : cause + "; its console says:\n" + tail,
                "see serial.log of the session; run capsem status to check the host");
    }

    private static SessionWriter await(CompletableFuture<SessionWriter> database) throws InterruptedException {
        try {
            return database.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TelemetryException known) {
                throw new StartFailedException(
                        FailureCode.DATABASE_FAILED,
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
