package dev.capsem.process.exec;

import dev.capsem.events.Admission.Place;
import dev.capsem.events.row.ExecRow;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent.ProcessExec;
import dev.capsem.exchange.command.CommandAction;
import dev.capsem.exchange.command.CommandInput;
import dev.capsem.exchange.command.CommandOutput;
import dev.capsem.exchange.command.CommandRun;
import dev.capsem.process.guest.AgentSession;
import dev.capsem.process.guest.GuestExec;
import dev.capsem.process.guest.GuestExecEvent;
import dev.capsem.process.guest.GuestExecRequest;
import dev.capsem.process.record.Recorder;
import dev.capsem.wire.guest.ExecId;
import dev.capsem.wire.guest.OutputStreamName;
import dev.capsem.wire.io.IpcConnection;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.ipc.FailureCode;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Translates between one [CommandRun] and its asker, the guest, the record, people and time.
final class CommandShell implements AutoCloseable {
    /// A command whose input is stuck is asked this often whether its asker is still there.
    private static final Duration INPUT_WAIT = Duration.ofSeconds(1);

    private final IpcConnection<ServiceMessage, ProcessMessage> asker;
    private final AgentSession session;
    private final CommandGuard guard;
    private final UnaryOperator<GuestExecRequest> furnish;
    private final Recorder recorder;
    private final TerminalLog terminalLog;
    private final InstantSource clock;
    private final GuestExecRequest toGuest;
    private final Optional<OnRecord> onRecord;
    private final TaskScope scope;

    /// Guards the run. Never held while an action is carried out: an asker that does not read must not hold up
    /// the timer.
    private final ReentrantLock lock = new ReentrantLock();

    private final CommandRun run;

    // Written by the thread that serves the command, before any other thread is started.
    private Messages messages;
    private @Nullable CompletableFuture<Answer> answer;
    private volatile @Nullable GuestExec exec;
    private volatile Instant began;
    private volatile long beganNanos;
    private Optional<Recorder.ExecFacts> started = Optional.empty();

    /// A command that history shows.
    ///
    /// @param place for what becomes of it, on record
    record OnRecord(ProcessExec command, ExecRow.Source source, Place place) {}

    /// Where the asker's later messages come from.
    private interface Messages {
        Optional<ServiceMessage.ExecInput> next() throws InterruptedException;
    }

    /// @param onRecord empty for what will not be on record: a file operation, or a command that was not admitted
    CommandShell(
            ExecOperation of,
            IpcConnection<ServiceMessage, ProcessMessage> asker,
            CommandRun run,
            GuestExecRequest toGuest,
            Optional<OnRecord> onRecord) {
        this.session = of.session();
        this.guard = of.guard();
        this.furnish = of.furnish();
        this.recorder = of.recorder();
        this.terminalLog = of.terminalLog();
        this.clock = of.clock();
        this.asker = asker;
        this.run = run;
        this.toGuest = toGuest;
        this.onRecord = onRecord;
        this.scope = new TaskScope("exec", (thread, failure) -> failed());
        this.messages = () -> asker.receive(ServiceMessage.ExecInput.class);
        this.began = clock.instant();
        this.beganNanos = System.nanoTime();
    }

    /// Returns when the command is over and said so, or when nobody is left to tell.
    ///
    /// @param first whether it was admitted
    void untilOver(CommandInput first) throws InterruptedException {
        on(first);
        GuestExec opened = exec;
        while (opened != null && !isOver()) {
            on(happened(opened.next()));
        }
    }

    @Override
    public void close() {
        scope.close();
    }

    /// A thread of ours failed: the command must not run on for an asker that nobody reads.
    private void failed() {
        try {
            asker.close();
            on(new CommandInput.AskerLeft());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isOver() {
        lock.lock();
        try {
            return run.isOver();
        } finally {
            lock.unlock();
        }
    }

    private void on(CommandInput input) throws InterruptedException {
        List<CommandAction> actions;
        lock.lock();
        try {
            actions = run.on(input);
        } finally {
            lock.unlock();
        }
        for (CommandAction action : actions) {
            perform(action);
        }
    }

    private void perform(CommandAction action) throws InterruptedException {
        switch (action) {
            case CommandAction.AwaitRules _ -> on(guard.await());
            case CommandAction.AskPerson asks -> on(answered(asks));
            case CommandAction.WithdrawQuestion _ ->
                Objects.requireNonNull(answer, "a question was asked").cancel(false);
            case CommandAction.RecordBlocked(Evaluation evaluation) -> recordBlocked(evaluation);
            case CommandAction.Open _ -> on(opened());
            case CommandAction.StartTimer(Duration timeout) -> scope.start(() -> timeOutAfter(timeout));
            case CommandAction.RecordStarted(Evaluation evaluation, OptionalLong pid) -> recordStarted(evaluation, pid);
            case CommandAction.RecordEnded(var completion) ->
                started.ifPresent(facts -> recorder.execEnded(
                        facts, completion, onRecord.orElseThrow().place()));
            case CommandAction.TellStarted(long pid) ->
                tell(new ProcessMessage.Started(running().id().value(), pid));
            case CommandAction.TellOutput(CommandOutput output) ->
                tell(new ProcessMessage.Output(stream(output.stream()).code(), output.data()));
            case CommandAction.TellEnded ended ->
                tell(new ProcessMessage.Exited(
                        ended.exitCode(),
                        ended.message(),
                        ended.timedOut(),
                        ended.took(),
                        ended.stdoutBytes(),
                        ended.stderrBytes()));
            case CommandAction.Fail(CommandAction.Code code, String cause, String remedy) ->
                tell(new ProcessMessage.Failed(code(code), cause, remedy));
            case CommandAction.DiscardOutput _ -> running().discardOutput();
            case CommandAction.Kill _ -> running().kill();
        }
    }

    // --- people and the record ----------------------------------------------------------------------------------

    /// Reads ahead from the asker meanwhile, so that its leaving is noticed.
    private CommandInput answered(CommandAction.AskPerson asks) throws InterruptedException {
        WaitingAsker waiting = new WaitingAsker(asker);
        scope.start(waiting::read);
        messages = waiting::next;
        CompletableFuture<Answer> asked = guard.ask(asks.event(), asks.question());
        answer = asked;
        CompletableFuture<CommandInput> next = new CompletableFuture<>();
        CompletableFuture<?> _ = asked.whenComplete((given, failure) ->
                next.complete(failure == null ? new CommandInput.Answered(given) : new CommandInput.QuestionFailed()));
        CompletableFuture<?> _ = waiting.gone().thenRun(() -> next.complete(new CommandInput.AskerLeft()));
        try {
            return asks.atMost().isPresent()
                    ? next.get(asks.atMost().get().toNanos(), TimeUnit.NANOSECONDS)
                    : next.get();
        } catch (TimeoutException e) {
            return new CommandInput.TimedOut(List.of());
        } catch (ExecutionException e) {
            throw new IllegalStateException("nobody fails this future", e);
        }
    }

    private void recordBlocked(Evaluation evaluation) {
        OnRecord of = onRecord.orElseThrow();
        recorder.execBlocked(
                facts(of, session.nextId(), evaluation, clock.instant(), OptionalLong.empty()), of.place());
    }

    private void recordStarted(Evaluation evaluation, OptionalLong pid) {
        OnRecord of = onRecord.orElseThrow();
        Recorder.ExecFacts facts = facts(of, running().id(), evaluation, began, pid);
        recorder.execStarted(facts, of.place());
        started = Optional.of(facts);
    }

    private static Recorder.ExecFacts facts(
            OnRecord of, ExecId id, Evaluation evaluation, Instant at, OptionalLong pid) {
        return new Recorder.ExecFacts(id, of.command(), evaluation, of.source(), at, pid);
    }

    // --- the guest ----------------------------------------------------------------------------------------------

    private CommandInput opened() {
        return switch (session.open(furnish.apply(toGuest))) {
            case AgentSession.Opened.Running(GuestExec opened) -> {
                began = clock.instant();
                beganNanos = System.nanoTime();
                exec = opened;
                scope.start(this::followAsker);
                yield new CommandInput.Opened(opened.id().value());
            }
            case AgentSession.Opened.TooMany() -> new CommandInput.TooMany(AgentSession.EXECS_MAX);
            case AgentSession.Opened.Unsendable(String reason) -> new CommandInput.Unsendable(reason);
            case AgentSession.Opened.Gone() -> new CommandInput.SandboxGone("the sandbox ended");
        };
    }

    private CommandInput happened(GuestExecEvent happening) {
        return switch (happening) {
            case GuestExecEvent.Started(long guestPid) -> new CommandInput.Started(guestPid);
            case GuestExecEvent.Output(OutputStreamName stream, byte[] data) -> {
                if (toGuest.terminal()) {
                    terminalLog.append(data);
                }
                yield new CommandInput.Output(new CommandOutput(
                        stream == OutputStreamName.STDOUT ? CommandOutput.Stream.STDOUT : CommandOutput.Stream.STDERR,
                        data));
            }
            case GuestExecEvent.Over over ->
                new CommandInput.Ended(
                        over.exitCode(),
                        over.message(),
                        over.stdoutBytes(),
                        over.stderrBytes(),
                        Duration.ofNanos(System.nanoTime() - beganNanos),
                        guard.unanswered(began));
            case GuestExecEvent.Lost(String reason) -> new CommandInput.SandboxGone(reason);
        };
    }

    private static FailureCode code(CommandAction.Code code) {
        return switch (code) {
            case BLOCKED -> FailureCode.BLOCKED;
            case RECORD_UNAVAILABLE -> FailureCode.RECORD_UNAVAILABLE;
            case TOO_MANY_EXECS -> FailureCode.TOO_MANY_EXECS;
            case BAD_COMMAND -> FailureCode.BAD_COMMAND;
            case SANDBOX_GONE -> FailureCode.SANDBOX_GONE;
        };
    }

    private GuestExec running() {
        return Objects.requireNonNull(exec, "the command was sent");
    }

    private static OutputStreamName stream(CommandOutput.Stream stream) {
        return switch (stream) {
            case STDOUT -> OutputStreamName.STDOUT;
            case STDERR -> OutputStreamName.STDERR;
        };
    }

    private void timeOutAfter(Duration time) {
        try {
            Thread.sleep(time);
            on(new CommandInput.TimedOut(guard.unanswered(began)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // --- the asker ----------------------------------------------------------------------------------------------

    private void tell(ProcessMessage message) throws InterruptedException {
        try {
            asker.send(message);
        } catch (IpcException e) {
            on(new CommandInput.AskerLeft());
        }
    }

    private void followAsker() {
        try {
            while (followed()) {
                // Each message is dealt with in turn.
            }
            on(new CommandInput.AskerLeft());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// False when the asker left, or said what does not belong here.
    private boolean followed() throws InterruptedException {
        Optional<ServiceMessage.ExecInput> message;
        try {
            message = messages.next();
        } catch (IpcException e) {
            return false;
        }
        if (message.isPresent()) {
            follow(message.get());
        }
        return message.isPresent();
    }

    private void follow(ServiceMessage.ExecInput message) throws InterruptedException {
        switch (message) {
            case ServiceMessage.Input(byte[] data) -> input(data);
            case ServiceMessage.InputEnd _ -> running().inputEnd();
            case ServiceMessage.Signal(int number) -> signal(number);
            case ServiceMessage.Resize(int rows, int columns) -> resize(rows, columns);
        }
    }

    /// While the guest does not read its input we do not read from the asker, and would not learn that it left: an
    /// empty Output now and then tells.
    private void input(byte[] data) throws InterruptedException {
        int sent = 0;
        while (sent < data.length && !isAbandoned()) {
            int more = running().input(data, sent, INPUT_WAIT);
            if (more == 0) {
                on(new CommandInput.InputStuck());
            }
            sent += more;
        }
    }

    private boolean isAbandoned() {
        lock.lock();
        try {
            return run.isAbandoned();
        } finally {
            lock.unlock();
        }
    }

    private void signal(int number) {
        if (number > 0 && number <= 64) {
            running().signal(number);
        }
    }

    private void resize(int rows, int columns) {
        int most = 0xFFFF;
        running().resize(Math.clamp(rows, 0, most), Math.clamp(columns, 0, most));
    }
}
