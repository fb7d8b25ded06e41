package dev.capsem.process.guest;

import dev.capsem.wire.guest.ExecId;
import dev.capsem.wire.guest.GuestMessage;
import dev.capsem.wire.guest.HostMessage;
import dev.capsem.wire.io.FrameChannel;
import dev.capsem.wire.io.TaskScope;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/// A booted guest: runs commands in it, many at once, over its three connections. When one of these breaks or the guest
/// breaks the protocol, the whole session is lost and says so once.
public final class AgentSession implements AutoCloseable {
    /// Each may hold a full credit of output in memory (256 KiB), and the heap has 64 MB.
    public static final int EXECS_MAX = 128;

    private final GuestConnections connections;
    private final GuestWriter control;
    private final GuestWriter terminal;
    private final GuestWriter exec;
    private final ExecAudit audit;
    private final AtomicLong lastExecId;
    private final AtomicBoolean lost = new AtomicBoolean();
    private final Semaphore places = new Semaphore(EXECS_MAX);
    private final Map<ExecId, GuestExec> execs = new ConcurrentHashMap<>();
    private volatile Consumer<String> onLost = reason -> {};

    /// Whether a command could be handed to the guest.
    public sealed interface Opened {
        record Running(GuestExec exec) implements Opened {}

        record TooMany() implements Opened {}

        /// The command cannot be put into a frame.
        record Unsendable(String reason) implements Opened {}

        record Gone() implements Opened {}
    }

    /// @param lastExecId ids continue after it: they are unique in a session's history
    /// @param audit told of programs that start inside
    public AgentSession(GuestConnections connections, long lastExecId, ExecAudit audit) {
        this.connections = connections;
        this.control = new GuestWriter(connections.control());
        this.terminal = new GuestWriter(connections.terminal());
        this.exec = new GuestWriter(connections.exec());
        this.lastExecId = new AtomicLong(lastExecId);
        this.audit = audit;
    }

    /// Begins to read and write; both end with the connections. Requires: the scope's threads are interrupted only when
    /// the sandbox is over.
    ///
    /// @param toldWhenLost once, with the reason, from a reader's thread
    public void start(TaskScope scope, Consumer<String> toldWhenLost) {
        onLost = toldWhenLost;
        scope.start(() -> read(connections.control(), this::controlMessage));
        scope.start(() -> read(connections.terminal(), message -> dataMessage(message, true)));
        scope.start(() -> read(connections.exec(), message -> dataMessage(message, false)));
        scope.start(() -> write(control));
        scope.start(() -> write(terminal));
        scope.start(() -> write(exec));
    }

    /// For a command that is on record and never reaches the guest.
    public ExecId nextId() {
        return new ExecId(lastExecId.incrementAndGet() & ExecId.MAX);
    }

    public Opened open(GuestExecRequest request) {
        if (lost.get()) {
            return new Opened.Gone();
        }
        if (!places.tryAcquire()) {
            return new Opened.TooMany();
        }
        ExecId id = nextId();
        GuestExec opened = new GuestExec(id, request, message -> send(message, request.terminal()), () -> forget(id));
        execs.put(id, opened);
        try {
            control.send(request.message(id));
        } catch (IllegalArgumentException e) {
            forget(id);
            return new Opened.Unsendable(String.valueOf(e.getMessage()));
        }
        if (lost.get()) {
            opened.lose("the sandbox ended");
        }
        return new Opened.Running(opened);
    }

    public int running() {
        return execs.size();
    }

    /// Asks the guest to end; the sandbox's exit is the answer.
    public void shutdown(Duration grace) {
        control.send(new HostMessage.Shutdown(grace.toMillis()));
    }

    /// Ends the connections, and with them the readers.
    @Override
    public void close() {
        lose("the sandbox ended");
    }

    private interface Receiver {
        Optional<String> receive(GuestMessage message);
    }

    private void read(FrameChannel<GuestMessage> channel, Receiver receiver) {
        try {
            while (true) {
                Optional<GuestMessage> message = channel.receive();
                if (message.isEmpty()) {
                    lose("the agent closed a connection");
                    return;
                }
                Optional<String> violation = receiver.receive(message.get());
                if (violation.isPresent()) {
                    lose("the agent broke the protocol: " + violation.get());
                    return;
                }
            }
        } catch (IOException e) {
            lose("a connection to the agent was lost: " + e.getMessage());
        }
    }

    private void write(GuestWriter writer) {
        try {
            writer.run();
        } catch (IOException e) {
            lose("a connection to the agent was lost: " + e.getMessage());
        } catch (InterruptedException e) {
            lose("the sandbox ended");
            Thread.currentThread().interrupt();
        }
    }

    private Optional<String> controlMessage(GuestMessage message) {
        return switch (message) {
            case GuestMessage.Started m -> {
                audit.commandStarted(m.id(), m.guestPid());
                yield deliver(m.id(), m);
            }
            case GuestMessage.Exited m -> deliver(m.id(), m);
            case GuestMessage.Execed m -> {
                audit.execed(m);
                yield Optional.empty();
            }
            case GuestMessage.ExecsMissed m -> {
                audit.missed(m.count());
                yield Optional.empty();
            }
            case GuestMessage.ExecAuditOff m ->
                audit.off(m.reason()) ? Optional.empty() : Optional.of("ExecAuditOff came twice");
            case GuestMessage.Pong m -> Optional.empty();
            case GuestMessage.Hello m -> Optional.of("Hello came twice");
            case GuestMessage.Ready m -> Optional.of("Ready came twice");
            case GuestMessage.Output m -> Optional.of("data came on the control connection");
            case GuestMessage.OutputEnd m -> Optional.of("data came on the control connection");
            case GuestMessage.InputCredit m -> Optional.of("data came on the control connection");
        };
    }

    private Optional<String> dataMessage(GuestMessage message, boolean onTerminal) {
        return switch (message) {
            case GuestMessage.Output m -> deliver(m.id(), m, onTerminal);
            case GuestMessage.OutputEnd m -> deliver(m.id(), m, onTerminal);
            case GuestMessage.InputCredit m -> deliver(m.id(), m, onTerminal);
            case GuestMessage.Hello m -> Optional.of("control messages came on a data connection");
            case GuestMessage.Ready m -> Optional.of("control messages came on a data connection");
            case GuestMessage.Started m -> Optional.of("control messages came on a data connection");
            case GuestMessage.Exited m -> Optional.of("control messages came on a data connection");
            case GuestMessage.Pong m -> Optional.of("control messages came on a data connection");
            case GuestMessage.Execed m -> Optional.of("control messages came on a data connection");
            case GuestMessage.ExecsMissed m -> Optional.of("control messages came on a data connection");
            case GuestMessage.ExecAuditOff m -> Optional.of("control messages came on a data connection");
        };
    }

    private Optional<String> deliver(ExecId id, GuestMessage message, boolean onTerminal) {
        GuestExec receiver = execs.get(id);
        if (receiver != null && receiver.terminal() != onTerminal) {
            return Optional.of("data came on the wrong connection");
        }
        return deliver(id, message);
    }

    /// Messages for a command that is over are late, not wrong: credit and ends of streams cross with its exit.
    private Optional<String> deliver(ExecId id, GuestMessage message) {
        GuestExec receiver = execs.get(id);
        return receiver == null ? Optional.empty() : receiver.receive(message);
    }

    private void send(HostMessage message, boolean toTerminal) {
        GuestWriter writer = switch (message) {
            case HostMessage.Boot m -> control;
            case HostMessage.Exec m -> control;
            case HostMessage.Signal m -> control;
            case HostMessage.Resize m -> control;
            case HostMessage.Shutdown m -> control;
            case HostMessage.Ping m -> control;
            case HostMessage.Input m -> toTerminal ? terminal : exec;
            case HostMessage.InputEnd m -> toTerminal ? terminal : exec;
            case HostMessage.OutputCredit m -> toTerminal ? terminal : exec;
        };
        writer.send(message);
    }

    private void forget(ExecId id) {
        if (execs.remove(id) != null) {
            places.release();
        }
    }

    private void lose(String reason) {
        if (!lost.compareAndSet(false, true)) {
            return;
        }
        connections.close();
        control.close();
        terminal.close();
        exec.close();
        execs.values().forEach(running -> running.lose(reason));
        onLost.accept(reason);
    }
}
