package dev.capsem.process.guest;

import dev.capsem.wire.guest.ExecId;
import dev.capsem.wire.guest.GuestMessage;
import dev.capsem.wire.guest.GuestProtocol;
import dev.capsem.wire.guest.HostMessage;
import dev.capsem.wire.guest.OutputStreamName;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One command in the guest. The session's reader threads put messages in and never wait; one caller takes what
/// happened with [#next()]; asking for the next thing says that the last one was dealt with, which is when the
/// guest gets credit for it. Other threads may send input and signals.
public final class GuestExec {
    private static final int SIGKILL = 9;
    private static final int SIGNAL_EXIT_BASE = 128;
    private static final int EXIT_NOT_FOUND = 127;
    private static final int EXIT_NOT_EXECUTABLE = 126;
    private static final int ENOENT = 2;

    private final ExecId id;
    private final GuestExecRequest request;
    private final Consumer<HostMessage> toGuest;
    private final Runnable onOver;

    /// Guards everything below, up to the methods. Never held while sending to the guest: a guest that does not read
    /// must not hold up the readers.
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();
    private final OutputBuffer output = new OutputBuffer();
    private final long[] kept = new long[OutputStreamName.values().length];
    private ExecState state;
    private boolean startedTold;
    private boolean discarding;
    private long toAcknowledge;
    private long inputCredit = GuestProtocol.CREDIT_BYTES_INITIAL;
    private @Nullable String lostReason;

    GuestExec(ExecId id, GuestExecRequest request, Consumer<HostMessage> toGuest, Runnable onOver) {
        this.id = id;
        this.request = request;
        this.toGuest = toGuest;
        this.onOver = onOver;
        this.state = ExecState.initial(request.terminal());
    }

    public ExecId id() {
        return id;
    }

    boolean terminal() {
        return request.terminal();
    }

    /// Waits for what happens next. Requires: one caller at a time, until it gets `Over` or `Lost`.
    public GuestExecEvent next() throws InterruptedException {
        while (true) {
            long credit;
            lock.lock();
            try {
                while (isIdle()) {
                    changed.await();
                }
                GuestExecEvent happening = takeHappening();
                if (happening != null) {
                    return happening;
                }
                credit = toAcknowledge;
                toAcknowledge = 0;
                state = state.acknowledged(credit);
            } finally {
                lock.unlock();
            }
            toGuest.accept(new HostMessage.OutputCredit(id, credit));
        }
    }

    /// Sends standard input as the guest's credit allows; waits for more of it at most `wait`.
    /// Answers how many bytes, counted from `offset`, are gone; all the rest when the command no longer
    /// reads. Nothing is sent before the guest said that the command runs: input has a connection of its
    /// own, and could overtake the command.
    public int input(byte[] data, int offset, Duration wait) throws InterruptedException {
        int count;
        lock.lock();
        try {
            long nanos = wait.toNanos();
            while ((inputCredit == 0 || !isStarted()) && !isEnding() && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
            if (isEnding()) {
                return data.length - offset;
            }
            if (!isStarted()) {
                return 0;
            }
            count = (int) Math.min(Math.min(inputCredit, data.length - offset), GuestProtocol.DATA_BYTES_MAX);
            inputCredit -= count;
        } finally {
            lock.unlock();
        }
        if (count > 0) {
            byte[] part = new byte[count];
            System.arraycopy(data, offset, part, 0, count);
            toGuest.accept(new HostMessage.Input(id, part));
        }
        return count;
    }

    /// Waits, as [#input] does, until the command runs.
    public void inputEnd() throws InterruptedException {
        lock.lock();
        try {
            while (!isStarted() && !isEnding()) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
        toGuest.accept(new HostMessage.InputEnd(id));
    }

    public void signal(int number) {
        toGuest.accept(new HostMessage.Signal(id, number));
    }

    public void resize(int rows, int columns) {
        toGuest.accept(new HostMessage.Resize(id, rows, columns));
    }

    /// Ends the command and all that descends from it.
    public void kill() {
        signal(SIGKILL);
    }

    /// From now on output is counted and dropped: its reader is gone.
    public void discardOutput() {
        lock.lock();
        try {
            discarding = true;
            output.clear();
            toAcknowledge = state.unacknowledged();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Answers what rule the message broke, if any.
    Optional<String> receive(GuestMessage message) {
        lock.lock();
        try {
            return switch (message) {
                case GuestMessage.Started m -> advance(state.started(m.guestPid()));
                case GuestMessage.Output m -> {
                    Optional<String> violation = advance(state.output(m.stream(), m.data().length));
                    if (violation.isEmpty()) {
                        keep(m);
                    }
                    yield violation;
                }
                case GuestMessage.OutputEnd m -> advance(state.outputEnd(m.stream()));
                case GuestMessage.Exited m -> advance(state.exited(m));
                case GuestMessage.InputCredit m -> grantInput(m.bytes());
                case GuestMessage.Hello m -> Optional.of("Hello came twice");
                case GuestMessage.Ready m -> Optional.of("Ready came twice");
                case GuestMessage.Pong m -> Optional.empty();
                case GuestMessage.Execed m -> Optional.empty();
                case GuestMessage.ExecsMissed m -> Optional.empty();
                case GuestMessage.ExecAuditOff m -> Optional.empty();
            };
        } finally {
            lock.unlock();
        }
    }

    void lose(String reason) {
        lock.lock();
        try {
            lostReason = reason;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean isIdle() {
        boolean startedPending = !startedTold && state.pid().isPresent();
        // Output has a connection of its own, and may overtake the word that its command runs.
        boolean outputPending = !output.isEmpty() && (startedTold || isEnding());
        return !startedPending && !outputPending && toAcknowledge == 0 && !state.isOver() && lostReason == null;
    }

    private boolean isStarted() {
        return state.pid().isPresent();
    }

    private boolean isEnding() {
        return state.exited().isPresent() || lostReason != null;
    }

    /// Null when there is only credit to give back.
    private @Nullable GuestExecEvent takeHappening() {
        if (!startedTold && state.pid().isPresent()) {
            startedTold = true;
            return new GuestExecEvent.Started(state.pid().getAsLong());
        }
        if (toAcknowledge > 0 && !state.isOver() && lostReason == null) {
            return null;
        }
        if (!output.isEmpty()) {
            GuestExecEvent.Output taken = output.take();
            toAcknowledge += taken.data().length;
            return taken;
        }
        if (state.isOver()) {
            onOver.run();
            return over(state.exited().orElseThrow());
        }
        return lostReason == null ? null : new GuestExecEvent.Lost(lostReason);
    }

    private GuestExecEvent.Over over(GuestMessage.Exited exited) {
        int exitCode = switch (exited.how()) {
            case EXITED -> exited.code();
            case SIGNALED -> SIGNAL_EXIT_BASE + exited.code();
            case NOT_STARTED -> exited.code() == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
        };
        Optional<String> message = exited.message().isEmpty() ? Optional.empty() : Optional.of(exited.message());
        return new GuestExecEvent.Over(
                exitCode, message, state.stdout().bytes(), state.stderr().bytes());
    }

    private Optional<String> advance(ExecState.Step step) {
        return switch (step) {
            case ExecState.Step.Next(ExecState next) -> {
                state = next;
                changed.signalAll();
                yield Optional.empty();
            }
            case ExecState.Step.Violation(String reason) -> Optional.of(reason);
        };
    }

    private void keep(GuestMessage.Output message) {
        int index = message.stream().code() - 1;
        int length = message.data().length;
        int wanted = discarding ? 0 : (int) Math.min(length, request.keepBytesMax() - kept[index]);
        if (wanted > 0) {
            output.add(message.stream(), message.data(), wanted);
            kept[index] += wanted;
        }
        toAcknowledge += length - wanted;
    }

    private Optional<String> grantInput(long bytes) {
        if (inputCredit + bytes > GuestProtocol.CREDIT_BYTES_INITIAL) {
            return Optional.of("more input credit came than input went");
        }
        inputCredit += bytes;
        changed.signalAll();
        return Optional.empty();
    }
}
