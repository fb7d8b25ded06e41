package dev.capsem.process.exec;

import dev.capsem.events.Admission;
import dev.capsem.events.Admission.Place;
import dev.capsem.events.row.ExecCompletion;
import dev.capsem.events.row.ExecRow;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent.ProcessExec;
import dev.capsem.process.guest.ExecRequest;
import dev.capsem.process.guest.GuestExec;
import dev.capsem.process.guest.GuestSession;
import dev.capsem.process.guest.Happening;
import dev.capsem.process.record.Recorder;
import dev.capsem.wire.guest.EnvironmentVariable;
import dev.capsem.wire.guest.OutputStreamName;
import dev.capsem.wire.io.IpcConnection;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/// Runs one command or file operation for one IPC connection, from its request to its `Exited`.
public final class ExecOperation {
    /// Exit code of a command that our timeout ended, as that of timeout(1).
    static final int EXIT_TIMED_OUT = 124;
    /// A command whose input is stuck is asked this often whether its asker is still there.
    private static final Duration INPUT_WAIT = Duration.ofSeconds(1);

    private final GuestSession session;
    private final CommandGate gate;
    private final Recorder recorder;
    private final TerminalLog terminalLog;
    private final InstantSource clock;

    public ExecOperation(
            GuestSession session, CommandGate gate, Recorder recorder, TerminalLog terminalLog, InstantSource clock) {
        this.session = session;
        this.gate = gate;
        this.recorder = recorder;
        this.terminalLog = terminalLog;
        this.clock = clock;
    }

    /// Returns when the command is over and said so, or when nobody is left to tell. Nothing reaches the guest before
    /// the rules allowed it, nor while it could not be put on record.
    public void command(IpcConnection<ServiceMessage, ProcessMessage> asker, ServiceMessage.Exec request)
            throws InterruptedException {
        switch (recorder.admitCommand()) {
            case Admission.Refused refused ->
                asker.send(new ProcessMessage.Failed(Admission.CODE, refused.reason(), refused.remedy()));
            case Admission.Admitted(Place place) -> {
                try (place) {
                    command(asker, request, place);
                }
            }
        }
    }

    private void command(IpcConnection<ServiceMessage, ProcessMessage> asker, ServiceMessage.Exec request, Place place)
            throws InterruptedException {
        ProcessExec command = recorder.command(
                request.command(),
                isLine(request) ? List.of() : request.argv(),
                request.cwd().isEmpty() ? Optional.empty() : Optional.of(request.cwd()),
                recorder.traceId(request.traceId()));
        Evaluation evaluation = gate.evaluate(command);
        if (evaluation.outcome() instanceof Evaluation.Asked) {
            askFirst(asker, request, new Judged(command, evaluation, source(request.source()), place));
        } else {
            obey(asker, asker::receive, request, new Judged(command, evaluation, source(request.source()), place));
        }
    }

    /// A command with what was decided about it.
    ///
    /// @param place for what becomes of it, on record
    private record Judged(ProcessExec command, Evaluation evaluation, ExecRow.Source source, Place place) {
        Judged answered(Answer answer) {
            return new Judged(command, evaluation.answered(answer), source, place);
        }
    }

    /// Where the asker's later messages come from.
    private interface Messages {
        Optional<ServiceMessage> next() throws InterruptedException;
    }

    private static boolean isLine(ServiceMessage.Exec request) {
        return request.argv().equals(List.of("/bin/sh", "-c", request.command()));
    }

    /// Holds the command until a person answered. An asker that leaves meanwhile takes its question with it.
    private void askFirst(
            IpcConnection<ServiceMessage, ProcessMessage> asker, ServiceMessage.Exec request, Judged asked)
            throws InterruptedException {
        WaitingAsker waiting = new WaitingAsker(asker);
        try (TaskScope scope = new TaskScope("asker", (thread, failure) -> asker.close())) {
            scope.start(waiting::read);
            CompletableFuture<Answer> answer = gate.ask(asked.command(), asked.evaluation());
            CompletableFuture<Void> _ = waiting.gone().thenRun(() -> answer.cancel(false));
            obey(asker, waiting::next, request, asked.answered(await(answer, request.timeout())));
        }
    }

    /// @param timeout of the command, which counts while it waits
    private static Answer await(CompletableFuture<Answer> answer, Optional<Duration> timeout)
            throws InterruptedException {
        try {
            return timeout.isPresent() ? answer.get(timeout.get().toNanos(), TimeUnit.NANOSECONDS) : answer.get();
        } catch (TimeoutException e) {
            answer.cancel(false);
            return new Answer.Refused(
                    Answer.Cause.WITHDRAWN,
                    "the question still waited for an answer after the command's timeout of "
                            + timeout.orElseThrow().toSeconds() + " seconds",
                    "capsem");
        } catch (CancellationException e) {
            return new Answer.Refused(Answer.Cause.WITHDRAWN, "the asker left before the answer", "capsem");
        } catch (ExecutionException e) {
            return new Answer.Refused(Answer.Cause.NO_APPROVER, "the question failed", "capsem");
        }
    }

    private void obey(
            IpcConnection<ServiceMessage, ProcessMessage> asker,
            Messages messages,
            ServiceMessage.Exec request,
            Judged judged)
            throws InterruptedException {
        switch (judged.evaluation().outcome()) {
            case Evaluation.Allowed _ -> run(asker, messages, toGuest(request), request.timeout(), Optional.of(judged));
            case Evaluation.Blocked _ -> {
                Recorder.ExecFacts facts = new Recorder.ExecFacts(
                        session.nextId(),
                        judged.command(),
                        judged.evaluation(),
                        judged.source(),
                        clock.instant(),
                        OptionalLong.empty());
                recorder.execBlocked(facts, judged.place());
                asker.send(gate.refusal(judged.command(), judged.evaluation()));
            }
            case Evaluation.Asked _ -> throw new IllegalStateException("a question was not answered");
            case Evaluation.Rewritten _ -> throw new IllegalStateException("commands are not rewritten");
        }
    }

    private static ExecRequest toGuest(ServiceMessage.Exec request) {
        return new ExecRequest(
                ExecRequest.Kind.COMMAND,
                request.argv(),
                request.cwd(),
                request.environment().entrySet().stream()
                        .map(entry -> new EnvironmentVariable(entry.getKey(), entry.getValue()))
                        .toList(),
                request.stdin() || request.terminal().isPresent(),
                request.terminal().map(size -> new ExecRequest.WindowSize(size.rows(), size.columns())),
                request.keepBytesMax() == 0 ? ExecRequest.KEEP_ALL : request.keepBytesMax());
    }

    /// As [#command], but not on record: it moves bytes for a caller of the file API, it runs nothing of the guest's.
    public void fileOperation(IpcConnection<ServiceMessage, ProcessMessage> asker, ServiceMessage.FileOperation request)
            throws InterruptedException {
        ExecRequest toGuest = new ExecRequest(
                ExecRequest.Kind.FILE_OPERATION,
                request.argv(),
                "",
                List.of(),
                request.stdin(),
                Optional.empty(),
                ExecRequest.KEEP_ALL);
        run(asker, asker::receive, toGuest, Optional.empty(), Optional.empty());
    }

    private void run(
            IpcConnection<ServiceMessage, ProcessMessage> asker,
            Messages messages,
            ExecRequest toGuest,
            Optional<Duration> timeout,
            Optional<Judged> onRecord)
            throws InterruptedException {
        switch (session.open(toGuest)) {
            case GuestSession.Opened.Running(GuestExec exec) ->
                new Run(asker, messages, exec, toGuest.terminal(), onRecord).untilOver(timeout);
            case GuestSession.Opened.TooMany() ->
                asker.send(new ProcessMessage.Failed(
                        "too_many_execs",
                        "this sandbox already runs " + GuestSession.EXECS_MAX + " commands",
                        "wait for one of them to end"));
            case GuestSession.Opened.Unsendable(String reason) ->
                asker.send(new ProcessMessage.Failed(
                        "bad_command", "the command cannot be sent: " + reason, "shorten it, and send no NUL"));
            case GuestSession.Opened.Gone() -> asker.send(gone("the sandbox ended"));
        }
    }

    private static ProcessMessage.Failed gone(String reason) {
        return new ProcessMessage.Failed("sandbox_gone", reason, "see its logs; start it again");
    }

    private final class Run {
        private final IpcConnection<ServiceMessage, ProcessMessage> asker;
        private final Messages messages;
        private final GuestExec exec;
        private final boolean terminal;
        private final Optional<Judged> onRecord;
        private final Instant began = clock.instant();
        private final long beganNanos = System.nanoTime();
        private final AtomicBoolean timedOut = new AtomicBoolean();

        /// What waited when its time was up: the questions of a command that is killed go with it.
        private volatile List<String> waited = List.of();

        private final AtomicBoolean abandoned = new AtomicBoolean();
        private final Preview stdout = new Preview();
        private final Preview stderr = new Preview();
        private Optional<Recorder.ExecFacts> recorded = Optional.empty();

        Run(
                IpcConnection<ServiceMessage, ProcessMessage> asker,
                Messages messages,
                GuestExec exec,
                boolean terminal,
                Optional<Judged> onRecord) {
            this.asker = asker;
            this.messages = messages;
            this.exec = exec;
            this.terminal = terminal;
            this.onRecord = onRecord;
        }

        void untilOver(Optional<Duration> timeout) throws InterruptedException {
            try (TaskScope scope = new TaskScope("exec-" + exec.id(), (thread, failure) -> abandon())) {
                scope.start(this::followAsker);
                timeout.ifPresent(time -> scope.start(() -> timeOutAfter(time)));
                while (!told(exec.next())) {
                    // Each happening is dealt with in turn.
                }
                abandoned.set(true);
            }
        }

        /// Passes on what happened; true when that was the last of it.
        private boolean told(Happening happening) {
            switch (happening) {
                case Happening.Started(long guestPid) -> {
                    recordStart(OptionalLong.of(guestPid));
                    tell(new ProcessMessage.Started(exec.id().value(), guestPid));
                    return false;
                }
                case Happening.Output(OutputStreamName stream, byte[] data) -> {
                    keep(stream, data);
                    tell(new ProcessMessage.Output(stream.code(), data));
                    return false;
                }
                case Happening.Over over -> {
                    end(over);
                    return true;
                }
                case Happening.Lost(String reason) -> {
                    tell(gone(reason));
                    return true;
                }
            }
        }

        private void keep(OutputStreamName stream, byte[] data) {
            if (terminal) {
                terminalLog.append(data);
            }
            (stream == OutputStreamName.STDOUT ? stdout : stderr).add(data);
        }

        private void end(Happening.Over over) {
            Duration took = Duration.ofNanos(System.nanoTime() - beganNanos);
            int exitCode = timedOut.get() ? EXIT_TIMED_OUT : over.exitCode();
            recordStart(OptionalLong.empty());
            ExecCompletion completion = new ExecCompletion(
                    exec.id().value(),
                    exitCode,
                    took,
                    stdout.text(),
                    stderr.text(),
                    over.stdoutBytes(),
                    over.stderrBytes());
            recorded.ifPresent(facts ->
                    recorder.execEnded(facts, completion, onRecord.orElseThrow().place()));
            tell(new ProcessMessage.Exited(
                    exitCode,
                    over.message().or(this::unanswered),
                    timedOut.get(),
                    took,
                    over.stdoutBytes(),
                    over.stderrBytes()));
        }

        private Optional<String> unanswered() {
            List<String> questions = timedOut.get() ? waited : gate.unanswered(began);
            return onRecord.flatMap(judged -> CommandGate.unanswered(questions, judged.command()));
        }

        /// Once: when the command runs, or when it ended without ever running.
        private void recordStart(OptionalLong pid) {
            if (recorded.isPresent() || onRecord.isEmpty()) {
                return;
            }
            Judged judged = onRecord.get();
            Recorder.ExecFacts facts = new Recorder.ExecFacts(
                    exec.id(), judged.command(), judged.evaluation(), judged.source(), began, pid);
            recorder.execStarted(facts, judged.place());
            recorded = Optional.of(facts);
        }

        /// An asker that is gone learns nothing more; the command it left behind ends.
        private void tell(ProcessMessage message) {
            if (abandoned.get()) {
                return;
            }
            try {
                asker.send(message);
            } catch (IpcException e) {
                abandon();
            }
        }

        private void followAsker() {
            try {
                while (true) {
                    Optional<ServiceMessage> message = messages.next();
                    if (message.isEmpty()) {
                        abandon();
                        return;
                    }
                    follow(message.get());
                }
            } catch (IpcException e) {
                abandon();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void follow(ServiceMessage message) throws InterruptedException {
            switch (message) {
                case ServiceMessage.Input m -> input(m.data());
                case ServiceMessage.InputEnd m -> exec.inputEnd();
                case ServiceMessage.Signal m -> signal(m.number());
                case ServiceMessage.Resize m -> resize(m.rows(), m.columns());
                case ServiceMessage.Hello m -> abandon();
                case ServiceMessage.Assign m -> abandon();
                case ServiceMessage.GetStatus m -> abandon();
                case ServiceMessage.Exec m -> abandon();
                case ServiceMessage.FileOperation m -> abandon();
                case ServiceMessage.Suspend m -> abandon();
                case ServiceMessage.Resume m -> abandon();
                case ServiceMessage.HoldStill m -> abandon();
                case ServiceMessage.Release m -> abandon();
                case ServiceMessage.Relocate m -> abandon();
                case ServiceMessage.Stop m -> abandon();
                case ServiceMessage.Subscribe m -> abandon();
                case ServiceMessage.Attend m -> abandon();
                case ServiceMessage.Reply m -> abandon();
                case ServiceMessage.Unwatched m -> abandon();
                case ServiceMessage.Prepare m -> abandon();
                case ServiceMessage.ReloadConfig m -> abandon();
                case ServiceMessage.GetMetrics m -> abandon();
                case ServiceMessage.GetRuleStats m -> abandon();
                case ServiceMessage.GetTools m -> abandon();
                case ServiceMessage.ApproveTools m -> abandon();
            }
        }

        /// While the guest does not read its input we do not read from the asker, and would not learn that it left: an
        /// empty Output now and then tells.
        private void input(byte[] data) throws InterruptedException {
            int sent = 0;
            while (sent < data.length && !abandoned.get()) {
                int more = exec.input(data, sent, INPUT_WAIT);
                if (more == 0) {
                    tell(new ProcessMessage.Output(OutputStreamName.STDOUT.code(), new byte[0]));
                }
                sent += more;
            }
        }

        private void signal(int number) {
            if (number > 0 && number <= 64) {
                exec.signal(number);
            }
        }

        private void resize(int rows, int columns) {
            int most = 0xFFFF;
            exec.resize(Math.clamp(rows, 0, most), Math.clamp(columns, 0, most));
        }

        private void timeOutAfter(Duration time) {
            try {
                Thread.sleep(time);
                waited = gate.unanswered(began);
                timedOut.set(true);
                exec.kill();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void abandon() {
            if (abandoned.compareAndSet(false, true)) {
                exec.discardOutput();
                exec.kill();
            }
        }
    }

    private static ExecRow.Source source(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "cli" -> ExecRow.Source.CLI;
            case "mcp" -> ExecRow.Source.MCP;
            case "run" -> ExecRow.Source.RUN;
            case "shell" -> ExecRow.Source.SHELL;
            default -> ExecRow.Source.API;
        };
    }
}
