package dev.capsem.service.processes;

import dev.capsem.service.limits.ServiceSettings;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.table.SessionFiles;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.ipc.Answered;
import dev.capsem.wire.ipc.ServiceMessage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Started capsem-processes without a sandbox. One is kept warm; if none is spare, one is started. Starts are queued
/// and limited: a JVM's start costs a core for a moment.
public final class SpareProcesses {
    private static final Logger LOG = LoggerFactory.getLogger(SpareProcesses.class);
    /// A JVM on a host where everything else starts too.
    private static final Duration START_MAX = Duration.ofSeconds(30);
    private static final Duration POLL = Duration.ofMillis(10);
    /// The owner of a new sandbox is about to use it; a JVM that starts at the same moment would take a core from
    /// its first command.
    private static final Duration REFILL_PAUSE = Duration.ofMillis(150);
    private static final Duration STOP_MAX = Duration.ofSeconds(2);

    private final ProcessStarter starter;
    private final ProcessConnector connector;
    private final Supplier<Path> freshSocket;
    private final int wanted;
    private final TaskScope background;
    private final Semaphore starts;
    private final ConcurrentLinkedQueue<Spare> ready = new ConcurrentLinkedQueue<>();
    /// Sockets of processes that this service started and that have not become a sandbox yet.
    private final Set<Path> ours = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean refilling = new AtomicBoolean();
    private volatile boolean closed;

    /// @param freshSocket a path for the socket of the next one
    public SpareProcesses(
            ProcessStarter starter,
            ProcessConnector connector,
            Supplier<Path> freshSocket,
            ServiceSettings settings,
            TaskScope background) {
        this.starter = starter;
        this.connector = connector;
        this.freshSocket = freshSocket;
        this.wanted = settings.spareProcesses();
        this.background = background;
        this.starts = new Semaphore(settings.startsAtOnceMax(), true);
    }

    /// @param warm it had been waiting; false: the caller waited for it
    record Spare(ProcessStarter.Child child, Path socket, Path log, boolean warm) {}

    public int wanted() {
        return wanted;
    }

    public int readyNow() {
        return ready.size();
    }

    /// One that is alive and answers; the caller owns it from here.
    Spare take() {
        Optional<Spare> waiting = poll();
        if (waiting.isPresent()) {
            return waiting.get();
        }
        starts.acquireUninterruptibly();
        try {
            // Whoever held the permit before may have left one.
            Optional<Spare> late = poll();
            return late.isPresent() ? late.get() : start(false);
        } finally {
            starts.release();
        }
    }

    private Optional<Spare> poll() {
        for (Spare spare = ready.poll(); spare != null; spare = ready.poll()) {
            if (spare.child.isAlive()) {
                return Optional.of(spare);
            }
        }
        return Optional.empty();
    }

    /// Starts what is missing, in the background, one after the other.
    public void refill() {
        if (closed || background.isClosed() || ready.size() >= wanted || !refilling.compareAndSet(false, true)) {
            return;
        }
        background.start(() -> {
            boolean isFull = false;
            try {
                Thread.sleep(REFILL_PAUSE);
                while (!closed && ready.size() < wanted) {
                    starts.acquire();
                    try {
                        ready.add(start(true));
                    } finally {
                        starts.release();
                    }
                }
                isFull = true;
            } catch (ServiceProblem e) {
                LOG.warn("no spare process could be started: {}", e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                refilling.set(false);
                if (closed) {
                    stopAll();
                } else if (isFull) {
                    // Whoever took one after the last look left it to us.
                    refill();
                }
            }
        });
    }

    /// A spare that an earlier service left; kept if one is wanted, else ended.
    public void offer(ProcessStarter.Child child, Path socket) {
        Spare spare = new Spare(child, socket, logOf(socket), true);
        ours.add(socket);
        if (closed || ready.size() >= wanted) {
            stop(spare);
        } else {
            ready.add(spare);
        }
    }

    /// It became a sandbox, or it is dead.
    void forget(Spare spare) {
        ours.remove(spare.socket);
        SessionFiles.deleteQuietly(spare.socket);
    }

    public boolean isKnown(Path socket) {
        return ours.contains(socket);
    }

    /// Ends all of them; nothing is started afterwards.
    public void close() {
        closed = true;
        stopAll();
    }

    private void stopAll() {
        List<Spare> all = new ArrayList<>();
        for (Spare spare = ready.poll(); spare != null; spare = ready.poll()) {
            all.add(spare);
        }
        all.forEach(this::stop);
    }

    /// It holds nothing yet: no sandbox, no database.
    private void stop(Spare spare) {
        spare.child.kill();
        try {
            spare.child.exited().get(STOP_MAX.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("spare process {} does not end", spare.child.pid());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        forget(spare);
        SessionFiles.deleteQuietly(spare.log);
    }

    public static Path socketOf(Path log) {
        return log.resolveSibling(log.getFileName().toString().replaceAll("\\.log$", ".sock"));
    }

    private static Path logOf(Path socket) {
        return socket.resolveSibling(socket.getFileName().toString().replaceAll("\\.sock$", ".log"));
    }

    private Spare start(boolean warm) {
        Path socket = freshSocket.get();
        Path log = logOf(socket);
        ours.add(socket);
        ProcessStarter.Child child = starter.start(socket, log);
        boolean answered = false;
        try {
            answered = awaitAnswer(child, socket);
        } finally {
            if (!answered) {
                child.kill();
                ours.remove(socket);
                SessionFiles.deleteQuietly(socket);
            }
        }
        if (answered) {
            return new Spare(child, socket, log, warm);
        }
        String tail = SessionFiles.tail(log, 20);
        SessionFiles.deleteQuietly(log);
        throw new ServiceProblem(
                ServiceProblem.Code.START_FAILED,
                "capsem-process did not start" + (tail.isBlank() ? "" : ": " + tail.strip()),
                "look at `capsem status` and service.log");
    }

    private boolean awaitAnswer(ProcessStarter.Child child, Path socket) {
        long deadline = System.nanoTime() + START_MAX.toNanos();
        while (child.isAlive() && System.nanoTime() < deadline) {
            if (answers(socket)) {
                return true;
            }
            pause();
        }
        return false;
    }

    private boolean answers(Path socket) {
        if (!Files.exists(socket)) {
            return false;
        }
        try (ProcessConnection connection = connector.open(socket, START_MAX)) {
            return connection.ask(new ServiceMessage.GetStatus()) instanceof Answered.With<?>;
        } catch (IpcException e) {
            return false;
        }
    }

    private static void pause() {
        try {
            Thread.sleep(POLL);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServiceProblem(ServiceProblem.Code.SHUTTING_DOWN, "the service is shutting down", "try again", e);
        }
    }
}
