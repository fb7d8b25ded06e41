package dev.capsem.exchange.command;

import dev.capsem.events.row.ExecCompletion;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent.ProcessExec;
import dev.capsem.exchange.Judge;
import dev.capsem.exchange.Judge.Ruling;
import dev.capsem.exchange.command.CommandOutput.Stream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// One command or file operation in the guest. Nothing reaches the guest before the rules allowed it, nor while it
/// could not be put on record; an asker that leaves ends what it asked for, and that is on record all the same.
///
/// Not safe for several threads: the shell feeds one input at a time.
public final class CommandRun {
    /// Exit code of a command that our timeout ended, as that of timeout(1).
    public static final int EXIT_TIMED_OUT = 124;

    /// Where it stands. Each state names the inputs that move it; any other input comes too late or means nothing here.
    private enum State {
        /// Admitted, NotAdmitted
        ADMITTING,
        /// RulesRead, RulesMissing
        AWAITING_RULES,
        /// Answered, QuestionFailed, AskerLeft, TimedOut
        ASKING,
        /// Opened, TooMany, Unsendable, SandboxGone
        OPENING,
        /// Started, Output, Ended, SandboxGone, AskerLeft, TimedOut, InputStuck
        RUNNING,
        OVER
    }

    private final @Nullable Judged judged;
    private final Optional<Duration> timeout;

    private State state = State.ADMITTING;
    private long execId;
    private boolean hasAsker = true;
    private boolean isTimedOut;

    /// What waited when the time was up: the questions of a command that is killed go with it.
    private List<String> unanswered = List.of();

    private final OutputPreview stdout = new OutputPreview();
    private final OutputPreview stderr = new OutputPreview();

    /// The command, with what was decided about it.
    private static final class Judged {
        private final Judge judge;
        private final ProcessExec command;
        private @Nullable Evaluation evaluation;
        private boolean isStartRecorded;

        Judged(Judge judge, ProcessExec command) {
            this.judge = judge;
            this.command = command;
        }
    }

    private CommandRun(@Nullable Judged judged, Optional<Duration> timeout) {
        this.judged = judged;
        this.timeout = timeout;
    }

    /// @param judge has no open question
    public static CommandRun command(Judge judge, ProcessExec command, Optional<Duration> timeout) {
        return new CommandRun(new Judged(judge, command), timeout);
    }

    /// Neither judged nor on record: it moves files for the file API, and no code of the guest runs.
    public static CommandRun fileOperation() {
        return new CommandRun(null, Optional.empty());
    }

    public boolean isOver() {
        return state == State.OVER;
    }

    /// Nobody waits for it any more.
    public boolean isAbandoned() {
        return !hasAsker || isOver();
    }

    /// The actions to perform now, in order.
    public List<CommandAction> on(CommandInput input) {
        return switch (state) {
            case ADMITTING -> admitting(input);
            case AWAITING_RULES -> awaitingRules(input, judged());
            case ASKING -> asking(input, judged());
            case OPENING -> opening(input);
            case RUNNING -> running(input);
            case OVER -> List.of();
        };
    }

    private List<CommandAction> admitting(CommandInput input) {
        return switch (input) {
            case CommandInput.Admitted _ when judged == null -> open();
            case CommandInput.Admitted _ -> {
                state = State.AWAITING_RULES;
                yield List.of(new CommandAction.AwaitRules());
            }
            case CommandInput.NotAdmitted(var refused) -> over(CommandRefusal.unrecorded(refused));
            default -> List.of();
        };
    }

    private List<CommandAction> awaitingRules(CommandInput input, Judged of) {
        return switch (input) {
            case CommandInput.RulesRead(var problem) -> judge(of, problem);
            case CommandInput.RulesMissing(String reason, boolean mayStillCome, var problem) ->
                block(of, Evaluation.blocked(BlockCause.NO_RULES, reason), problem, mayStillCome);
            default -> List.of();
        };
    }

    private List<CommandAction> judge(Judged of, Optional<String> problem) {
        return switch (of.judge.judge(of.command)) {
            case Ruling.Asks(var _, Evaluation question) -> {
                state = State.ASKING;
                yield List.of(new CommandAction.AskPerson(of.command, question, timeout));
            }
            case Ruling.Settled(Evaluation evaluation) -> obey(of, evaluation, problem);
        };
    }

    private List<CommandAction> asking(CommandInput input, Judged of) {
        return switch (input) {
            case CommandInput.Answered(Answer answer) -> obey(of, of.judge.answered(answer), Optional.empty());
            case CommandInput.QuestionFailed _ ->
                obey(of, of.judge.refused(Answer.Cause.NO_APPROVER, "the question failed"), Optional.empty());
            case CommandInput.AskerLeft _ -> {
                hasAsker = false;
                yield withdraw(of, "the asker left before the answer");
            }
            case CommandInput.TimedOut _ ->
                withdraw(
                        of,
                        "the question still waited for an answer after the command's timeout of "
                                + timeout.orElse(Duration.ZERO).toSeconds() + " seconds");
            default -> List.of();
        };
    }

    private List<CommandAction> withdraw(Judged of, String reason) {
        List<CommandAction> actions = new ArrayList<>();
        actions.add(new CommandAction.WithdrawQuestion());
        actions.addAll(obey(of, of.judge.refused(Answer.Cause.WITHDRAWN, reason), Optional.empty()));
        return actions;
    }

    private List<CommandAction> obey(Judged of, Evaluation evaluation, Optional<String> problem) {
        return switch (evaluation.outcome()) {
            case Evaluation.Allowed _ -> {
                of.evaluation = evaluation;
                yield open();
            }
            case Evaluation.Blocked _ -> block(of, evaluation, problem, false);
            case Evaluation.Asked _ -> throw new IllegalStateException("a question was not answered");
            // The compiler takes no such rule; should one appear nonetheless, the command must not run as it is.
            case Evaluation.Rewritten _ ->
                block(
                        of,
                        Evaluation.blocked(BlockCause.REWRITE_FAILED, "a command cannot be rewritten"),
                        problem,
                        false);
        };
    }

    private List<CommandAction> block(Judged of, Evaluation blocked, Optional<String> problem, boolean mayStillCome) {
        state = State.OVER;
        List<CommandAction> actions = new ArrayList<>();
        actions.add(new CommandAction.RecordBlocked(blocked));
        if (hasAsker) {
            actions.add(CommandRefusal.blocked(of.command, blocked, problem, mayStillCome));
        }
        return actions;
    }

    private List<CommandAction> open() {
        state = State.OPENING;
        return List.of(new CommandAction.Open());
    }

    private List<CommandAction> opening(CommandInput input) {
        return switch (input) {
            case CommandInput.Opened(long id) -> {
                execId = id;
                state = State.RUNNING;
                yield timeout.<List<CommandAction>>map(time -> List.of(new CommandAction.StartTimer(time)))
                        .orElse(List.of());
            }
            case CommandInput.TooMany(int most) -> over(CommandRefusal.tooMany(most));
            case CommandInput.Unsendable(String reason) -> over(CommandRefusal.unsendable(reason));
            case CommandInput.SandboxGone(String reason) -> over(CommandRefusal.gone(reason));
            default -> List.of();
        };
    }

    private List<CommandAction> running(CommandInput input) {
        return switch (input) {
            case CommandInput.Started(long guestPid) -> started(guestPid);
            case CommandInput.Output(CommandOutput output) -> {
                (output.stream() == Stream.STDOUT ? stdout : stderr).add(output.data());
                yield told(new CommandAction.TellOutput(output));
            }
            case CommandInput.Ended ended -> ended(ended);
            case CommandInput.SandboxGone(String reason) -> over(CommandRefusal.gone(reason));
            case CommandInput.AskerLeft _ -> abandon();
            case CommandInput.TimedOut(List<String> waited) -> {
                isTimedOut = true;
                unanswered = waited;
                yield List.of(new CommandAction.Kill());
            }
            case CommandInput.InputStuck _ -> told(new CommandAction.TellOutput(CommandOutput.nothing()));
            default -> List.of();
        };
    }

    private List<CommandAction> started(long guestPid) {
        List<CommandAction> actions = new ArrayList<>();
        recordStart(actions, OptionalLong.of(guestPid));
        actions.addAll(told(new CommandAction.TellStarted(guestPid)));
        return actions;
    }

    private List<CommandAction> ended(CommandInput.Ended ended) {
        state = State.OVER;
        int exitCode = isTimedOut ? EXIT_TIMED_OUT : ended.exitCode();
        List<CommandAction> actions = new ArrayList<>();
        recordStart(actions, OptionalLong.empty());
        Optional<String> message = ended.message();
        if (judged != null) {
            actions.add(new CommandAction.RecordEnded(new ExecCompletion(
                    execId,
                    exitCode,
                    ended.took(),
                    stdout.text(),
                    stderr.text(),
                    ended.stdoutBytes(),
                    ended.stderrBytes())));
            List<String> questions = isTimedOut ? unanswered : ended.unanswered();
            ProcessExec command = judged.command;
            message = message.or(() -> CommandRefusal.unanswered(questions, command));
        }
        actions.addAll(told(new CommandAction.TellEnded(
                exitCode, message, isTimedOut, ended.took(), ended.stdoutBytes(), ended.stderrBytes())));
        return actions;
    }

    /// Once: when the command runs, or when it ended without ever running.
    private void recordStart(List<CommandAction> actions, OptionalLong guestPid) {
        if (judged != null && judged.evaluation != null && !judged.isStartRecorded) {
            judged.isStartRecorded = true;
            actions.add(new CommandAction.RecordStarted(judged.evaluation, guestPid));
        }
    }

    /// An asker that is gone learns nothing more; the command it left behind ends.
    private List<CommandAction> abandon() {
        if (!hasAsker) {
            return List.of();
        }
        hasAsker = false;
        return List.of(new CommandAction.DiscardOutput(), new CommandAction.Kill());
    }

    private List<CommandAction> over(CommandAction.Fail failure) {
        state = State.OVER;
        return told(failure);
    }

    private List<CommandAction> told(CommandAction action) {
        return hasAsker ? List.of(action) : List.of();
    }

    private Judged judged() {
        if (judged == null) {
            throw new IllegalStateException("a file operation is not judged");
        }
        return judged;
    }
}
