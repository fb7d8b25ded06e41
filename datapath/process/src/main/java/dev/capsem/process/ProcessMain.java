package dev.capsem.process;

import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.process.io.InstanceServer;
import dev.capsem.process.ipc.Operations;
import dev.capsem.process.rules.SessionRules;
import dev.capsem.process.session.SandboxSession;
import dev.capsem.process.session.SandboxStart;
import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.sandbox.SandboxLifecycle.State;
import dev.capsem.sandbox.bwrap.BwrapDriver;
import dev.capsem.sandbox.bwrap.BwrapFiles;
import dev.capsem.telemetry.log.ProgramLog;
import dev.capsem.wire.io.PanicLog;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.io.UnixListener;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.LoggerFactory;

/// capsem-process: one sandbox, its ports, its database. Starts as a spare, becomes a sandbox once, ends with it.
public final class ProcessMain {
    private static final String INSTANCE_SOCKET_MODE = "rw-------";
    /// How long the last answers have to get out before this process ends.
    private static final Duration FAREWELL = Duration.ofSeconds(2);
    /// How long an end from outside waits for a start that is under way.
    private static final Duration START_WAIT = Duration.ofSeconds(3);

    private static final ProgramLog.Rotation LOG_ROTATION = new ProgramLog.Rotation(1 << 20, 1);

    private ProcessMain() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        ProcessArguments arguments = ProcessArguments.parse(args, System.getenv(), System.getProperties());
        // Before anything else is loaded: the service waits for this socket.
        UnixListener instance = UnixListener.bind(arguments.instanceSocket(), INSTANCE_SOCKET_MODE);
        end(run(arguments, instance), arguments.isRecorded());
    }

    /// A recording for the start-up cache is written as a JVM exits by itself.
    private static void end(int code, boolean isRecorded) {
        if (!isRecorded) {
            ExitNative.now(code);
        }
        System.exit(code);
    }

    private static int run(ProcessArguments arguments, UnixListener instance) throws InterruptedException {
        InstantSource clock = InstantSource.system();
        ProgramLog log = new ProgramLog();
        PanicLog panics = new PanicLog("capsem-process", arguments.panicLog(), clock).install();
        SandboxDriver driver = new BwrapDriver(BwrapFiles.in(arguments.dist(), arguments.home()));
        ExecutorService launchThread = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().name("launch").daemon().factory());
        TaskScope sandboxTasks = new TaskScope("sandbox", (thread, e) -> taskFailed(panics, thread, e));
        TaskScope connections = new TaskScope("ipc", (thread, e) -> taskFailed(panics, thread, e));

        SessionRules rules = new SessionRules();
        SandboxStart.Installation installation =
                new SandboxStart.Installation(arguments.dist(), arguments.home(), System.getenv());
        SessionWiring wiring = new SessionWiring(
                driver, sandboxTasks, clock, new IdSource(clock, new SecureRandom()), rules, installation);
        SandboxStart start = new SandboxStart(driver, launchThread, sandboxTasks, clock, rules, installation, wiring);
        Operations operations = new Operations(
                start,
                instance,
                spec -> sandboxTasks.start(() -> {
                    panics.workFor(spec.id().value());
                    log.toFile(spec.sessionDir().resolve("process.log"), LOG_ROTATION);
                }));
        InstanceServer server = new InstanceServer(instance, connections, operations::serve, Operations::dropped);
        connections.start(server::run);
        WarmUp.inBackground(operations::isSpare, log, driver, launchThread, clock, rules, arguments.usualProfile());
        ParentWatch.whileSpare(operations, instance);
        Runtime.getRuntime()
                .addShutdownHook(Thread.ofPlatform().name("end").unstarted(() -> endFromOutside(operations, instance)));

        return untilOver(operations, instance, server);
    }

    private static int untilOver(Operations operations, UnixListener instance, InstanceServer server)
            throws InterruptedException {
        int exitCode;
        try {
            SandboxSession session = operations.session().join();
            State last = session.over().join();
            session.close();
            exitCode = last instanceof State.Stopped ? 0 : 1;
        } catch (CompletionException e) {
            exitCode = 1;
        }
        instance.close();
        sayFarewell(server);
        return exitCode;
    }

    /// Lets answers under way get out.
    private static void sayFarewell(InstanceServer server) throws InterruptedException {
        long until = System.nanoTime() + FAREWELL.toNanos();
        while (server.busy() > 0 && System.nanoTime() < until) {
            Thread.sleep(5);
        }
    }

    /// SIGTERM: nothing of the sandbox may stay behind, and nothing recorded may be lost.
    private static void endFromOutside(Operations operations, UnixListener instance) {
        if (!operations.isSpare()) {
            try {
                operations
                        .session()
                        .get(START_WAIT.toMillis(), TimeUnit.MILLISECONDS)
                        .destroyNow();
            } catch (ExecutionException | TimeoutException e) {
                // There is no sandbox, or it dies with this process.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        instance.close();
    }

    private static void taskFailed(PanicLog panics, Thread thread, Throwable failure) {
        panics.uncaughtException(thread, failure);
        LoggerFactory.getLogger(ProcessMain.class)
                .atError()
                .addKeyValue("task", thread.getName())
                .setCause(failure)
                .log("task.failed");
    }
}
