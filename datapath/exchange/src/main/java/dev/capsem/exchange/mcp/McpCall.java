package dev.capsem.exchange.mcp;

import dev.capsem.events.Admission;
import dev.capsem.events.row.PolicyOutcome;
import dev.capsem.events.row.Step;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.security.SecurityEvent.McpResponse;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import dev.capsem.exchange.Awaited;
import dev.capsem.exchange.Judge;
import dev.capsem.exchange.Judge.Ruling;
import dev.capsem.exchange.mcp.McpAction.End;
import dev.capsem.exchange.mcp.McpAction.Row;
import dev.capsem.exchange.mcp.McpAction.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One request between an MCP client and a server, whoever asks whom. It is judged before it goes on, and so is its
/// answer; a tool that is not what a person agreed to is asked about as well. Nothing goes on that is not on record.
///
/// Not safe for several threads: the shell feeds one input at a time.
public final class McpCall {
    /// Why something that was admitted is not on record all the same.
    static final Admission.Refused ENDING = new Admission.Refused("the sandbox is ending", "start it again");

    /// Where it stands. Each state names the inputs that move it; any other input comes too late.
    private sealed interface State {
        /// Admitted, NotAdmitted
        record Admitting() implements State {}

        /// Waited: a rule asks about the request.
        record AskingRequest() implements State {}

        /// Waited: the tool is not what it was. That question names no rule: what was ever said about a rule's question
        /// answers it as little as its answer answers that one.
        record AskingTool(TrustedDoubt doubt) implements State {}

        /// Recorded, NotRecorded: then it goes on.
        record RecordingRequest() implements State {}

        /// Replied, GivenUp
        record Forwarded() implements State {}

        /// Waited: a rule asks about the answer.
        record AskingAnswer(McpInput.Replied reply) implements State {}

        /// Recorded, NotRecorded: then the answer goes back.
        record RecordingAnswer(McpAction answer) implements State {}

        /// Recorded, NotRecorded: then the refusal goes back, recorded or not.
        record RecordingRefusal(Optional<McpAction> refusal) implements State {}

        record Over() implements State {}
    }

    /// @param before what was decided before the tool was looked at
    private record TrustedDoubt(CallTarget.TrustedTool tool, ToolStanding.Doubtful asked, Evaluation before) {}

    private final Judge judge;
    private final CallTarget target;

    private State state = new State.Admitting();
    private boolean isCancelled;
    private Optional<String> away = Optional.empty();
    private @Nullable McpRequest event;
    private @Nullable Evaluation before;

    /// @param judge has no open question
    public McpCall(Judge judge, CallTarget target) {
        this.judge = judge;
        this.target = target;
    }

    /// The actions to perform now, in order. Empty: nothing more follows.
    public List<McpAction> on(McpInput input) {
        if (input instanceof McpInput.Cancelled) {
            isCancelled = true;
            return List.of();
        }
        return switch (state) {
            case State.Admitting _ -> admitting(input);
            case State.AskingRequest _ ->
                input instanceof McpInput.Waited(Awaited awaited) ? afterRules(settled(awaited)) : List.of();
            case State.AskingTool(TrustedDoubt doubt) ->
                input instanceof McpInput.Waited(Awaited awaited) ? agreed(doubt, settled(awaited)) : List.of();
            case State.RecordingRequest _ -> recordingRequest(input);
            case State.Forwarded _ -> forwarded(input);
            case State.AskingAnswer(McpInput.Replied reply) ->
                input instanceof McpInput.Waited(Awaited awaited) ? answered(reply, settled(awaited)) : List.of();
            case State.RecordingAnswer(McpAction answer) -> recordingAnswer(input, answer);
            case State.RecordingRefusal(Optional<McpAction> refusal) -> over(isCancelled ? Optional.empty() : refusal);
            case State.Over _ -> List.of();
        };
    }

    private Evaluation settled(Awaited awaited) {
        isCancelled |= awaited instanceof Awaited.Cancelled;
        return judge.settled(awaited);
    }

    // --- the request --------------------------------------------------------------------------------------------

    private List<McpAction> admitting(McpInput input) {
        return switch (input) {
            case McpInput.NotAdmitted(Admission.Refused refused) ->
                over(Optional.of(new McpAction.FailUnrecorded(refused)));
            case McpInput.Admitted(McpRequest asked) -> {
                event = asked;
                yield switch (target) {
                    case CallTarget.Method _ -> judged(asked);
                    case CallTarget.NoTool _ -> noTool(asked);
                    case CallTarget.Tool(var tool) -> called(asked, tool);
                };
            }
            default -> List.of();
        };
    }

    /// A tool that is not there is not found at once. One of a server that is away fails at once, judged as any.
    private List<McpAction> called(McpRequest asked, CallTarget.TrustedTool tool) {
        return switch (tool.standing()) {
            case ToolStanding.Missing _ -> noTool(asked);
            case ToolStanding.Away(String reason) -> {
                away = Optional.of(reason);
                yield judged(asked);
            }
            case ToolStanding.Agreed _, ToolStanding.Doubtful _ -> judged(asked);
        };
    }

    private List<McpAction> noTool(McpRequest asked) {
        Evaluation evaluation = judge.judgeNothing(asked, "there is no such tool");
        state = new State.RecordingRefusal(Optional.of(new McpAction.NoSuchTool(asked)));
        return List.of(new McpAction.PutOnRecord(asked, evaluation, row(End.NO_TOOL, evaluation.policyOutcome())));
    }

    private List<McpAction> judged(McpRequest asked) {
        return switch (judge.judge(asked)) {
            case Ruling.Asks asks -> {
                state = new State.AskingRequest();
                yield List.of(ask(asks));
            }
            case Ruling.Settled(Evaluation evaluation) -> afterRules(evaluation);
        };
    }

    private List<McpAction> afterRules(Evaluation evaluation) {
        if (evaluation.outcome() instanceof Evaluation.Blocked) {
            return refuse(evaluation);
        }
        if (away.isPresent() || !(target instanceof CallTarget.Tool(var tool))) {
            return proceed(evaluation);
        }
        return switch (tool.standing()) {
            case ToolStanding.Agreed _ -> proceed(evaluation);
            case ToolStanding.Missing _ ->
                refuse(gone(evaluation, BlockCause.TOOL_GONE, "the tool is not there any more"));
            case ToolStanding.Away(String reason) -> refuse(gone(evaluation, BlockCause.SERVER_AWAY, reason));
            case ToolStanding.Doubtful doubt -> doubted(tool, doubt, evaluation);
        };
    }

    private List<McpAction> doubted(CallTarget.TrustedTool tool, ToolStanding.Doubtful doubt, Evaluation evaluation) {
        List<Step> steps = new ArrayList<>(evaluation.steps());
        steps.add(new Step(
                StepKind.PREPROCESSOR,
                StepStatus.MATCHED,
                Optional.empty(),
                Optional.of("tool_pins"),
                Optional.of(doubt.reason())));
        Evaluation question =
                evaluation.with(new Evaluation.Asked(), Optional.empty(), Optional.of(doubt.reason()), steps);
        state = new State.AskingTool(new TrustedDoubt(tool, doubt, evaluation));
        return List.of(ask(judge.ask(event(), question)));
    }

    private List<McpAction> agreed(TrustedDoubt doubt, Evaluation answered) {
        if (answered.outcome() instanceof Evaluation.Blocked) {
            return refuse(answered);
        }
        String version = doubt.asked().version();
        doubt.tool().approved(version);
        boolean isWhatWasAskedAbout = switch (doubt.tool().standing()) {
            case ToolStanding.Agreed _ -> true;
            case ToolStanding.Doubtful(String now, String _) -> now.equals(version);
            case ToolStanding.Missing _, ToolStanding.Away _ -> false;
        };
        Evaluation rules = doubt.before();
        return isWhatWasAskedAbout
                ? proceed(rules.with(rules.outcome(), rules.rule(), rules.reason(), answered.steps()))
                : refuse(gone(answered, BlockCause.TOOL_CHANGED, "the tool changed again while it was asked about"));
    }

    /// The tool is no longer the one that was decided about, so no decision holds.
    private static Evaluation gone(Evaluation evaluation, BlockCause cause, String reason) {
        return evaluation.with(
                new Evaluation.Blocked(cause), Optional.empty(), Optional.of(reason), evaluation.steps());
    }

    private List<McpAction> refuse(Evaluation blocked) {
        state = new State.RecordingRefusal(Optional.of(new McpAction.Refuse(Subject.REQUEST, blocked)));
        return List.of(new McpAction.PutOnRecord(event(), blocked, row(End.REFUSED, blocked.policyOutcome())));
    }

    private List<McpAction> proceed(Evaluation evaluation) {
        before = evaluation;
        if (evaluation.outcome() instanceof Evaluation.Rewritten(McpRequest changed, var _)) {
            event = changed;
        }
        state = new State.RecordingRequest();
        return List.of(new McpAction.PutOnRecord(event(), evaluation, Optional.empty()));
    }

    private List<McpAction> recordingRequest(McpInput input) {
        return switch (input) {
            case McpInput.Recorded _ -> {
                state = new State.Forwarded();
                yield List.of(new McpAction.Forward(event(), away));
            }
            case McpInput.NotRecorded _ -> over(Optional.of(new McpAction.FailUnrecorded(ENDING)));
            default -> List.of();
        };
    }

    // --- the answer ---------------------------------------------------------------------------------------------

    private List<McpAction> forwarded(McpInput input) {
        return switch (input) {
            case McpInput.Replied reply ->
                switch (judge.judge(reply.event())) {
                    case Ruling.Asks asks -> {
                        state = new State.AskingAnswer(reply);
                        yield List.of(ask(asks));
                    }
                    case Ruling.Settled(Evaluation after) -> answered(reply, after);
                };
            case McpInput.GivenUp(McpResponse none) -> {
                state = new State.RecordingRefusal(Optional.empty());
                yield List.of(new McpAction.PutOnRecord(none, before(), row(End.CANCELLED, before().policyOutcome())));
            }
            default -> List.of();
        };
    }

    private List<McpAction> answered(McpInput.Replied reply, Evaluation after) {
        PolicyOutcome policy = stricter(before(), after);
        if (after.outcome() instanceof Evaluation.Blocked) {
            state = new State.RecordingRefusal(Optional.of(new McpAction.Refuse(Subject.RESPONSE, after)));
            return List.of(new McpAction.PutOnRecord(reply.event(), after, row(End.WITHHELD, policy)));
        }
        Optional<McpResponse> changed = after.outcome() instanceof Evaluation.Rewritten(McpResponse to, var _)
                ? Optional.of(to)
                : Optional.empty();
        state = new State.RecordingAnswer(new McpAction.Answer(changed));
        return List.of(new McpAction.PutOnRecord(changed.orElse(reply.event()), after, row(End.ANSWERED, policy)));
    }

    private List<McpAction> recordingAnswer(McpInput input, McpAction answer) {
        return switch (input) {
            case McpInput.Recorded _ -> over(Optional.of(answer));
            case McpInput.NotRecorded _ -> over(Optional.of(new McpAction.FailUnrecorded(ENDING)));
            default -> List.of();
        };
    }

    private List<McpAction> over(Optional<McpAction> last) {
        state = new State.Over();
        return last.stream().toList();
    }

    private static McpAction ask(Ruling.Asks asks) {
        return new McpAction.AskPerson(asks.event(), asks.question());
    }

    private static Optional<Row> row(End end, PolicyOutcome policy) {
        return Optional.of(new Row(end, policy));
    }

    /// The stricter of the two; of equals the response's, unless it only let something pass.
    static PolicyOutcome stricter(Evaluation request, Evaluation response) {
        return strictness(response) > 0 && strictness(response) >= strictness(request)
                ? response.policyOutcome()
                : request.policyOutcome();
    }

    private static int strictness(Evaluation evaluation) {
        return switch (evaluation.decision()) {
            case ALLOW -> 0;
            case REWRITE -> 1;
            case ASK -> 2;
            case BLOCK -> 3;
        };
    }

    private McpRequest event() {
        if (event == null) {
            throw new IllegalStateException("it was not admitted");
        }
        return event;
    }

    private Evaluation before() {
        if (before == null) {
            throw new IllegalStateException("it did not go on");
        }
        return before;
    }
}
