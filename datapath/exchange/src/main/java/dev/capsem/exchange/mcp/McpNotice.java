package dev.capsem.exchange.mcp;

import dev.capsem.events.Admission;
import dev.capsem.events.row.PolicyOutcome;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.exchange.Judge;
import dev.capsem.exchange.mcp.McpAction.End;
import dev.capsem.exchange.mcp.McpAction.Row;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One notification, of a client or a server. Nobody waits for an answer, so no person is asked about it.
public final class McpNotice {
    /// The sender, and whether it may send such a notification.
    public enum Kind {
        OF_CLIENT,
        /// Clients do not send it.
        DISALLOWED,
        OF_SERVER
    }

    private static final PolicyOutcome DISALLOWED = new PolicyOutcome(
            Optional.of("enforce"),
            Optional.of("block"),
            Optional.of("mcp.notification.disallowed"),
            Optional.of("clients do not send this notification"));

    private final Judge judge;
    private final Kind kind;

    /// The notification to deliver once it is on record.
    private @Nullable McpRequest waiting;

    public McpNotice(Judge judge, Kind kind) {
        this.judge = judge;
        this.kind = kind;
    }

    /// The actions to perform now, in order. Empty: nothing more follows.
    public List<McpAction> on(McpInput input) {
        return switch (input) {
            case McpInput.Admitted(McpRequest event) -> judged(event);
            case McpInput.NotAdmitted(Admission.Refused refused) -> List.of(new McpAction.Drop(refused));
            case McpInput.Recorded _ -> recorded(true);
            case McpInput.NotRecorded _ -> recorded(false);
            case McpInput.Waited _, McpInput.Cancelled _, McpInput.Replied _, McpInput.GivenUp _ -> List.of();
        };
    }

    private List<McpAction> judged(McpRequest event) {
        Evaluation evaluation = judge.judgeAtOnce(event, "a notification does not wait for an answer");
        if (evaluation.outcome() instanceof Evaluation.Blocked) {
            return List.of(record(event, evaluation, Optional.of(new Row(End.REFUSED, evaluation.policyOutcome()))));
        }
        return switch (kind) {
            case DISALLOWED -> List.of(record(event, evaluation, Optional.of(new Row(End.REFUSED, DISALLOWED))));
            case OF_CLIENT -> {
                waiting = event;
                yield List.of(
                        record(event, evaluation, Optional.of(new Row(End.ANSWERED, evaluation.policyOutcome()))));
            }
            case OF_SERVER -> {
                waiting = evaluation.outcome() instanceof Evaluation.Rewritten(McpRequest changed, var _)
                        ? changed
                        : event;
                yield List.of(record(event, evaluation, Optional.empty()));
            }
        };
    }

    private static McpAction record(McpRequest event, Evaluation evaluation, Optional<Row> row) {
        return new McpAction.PutOnRecord(event, evaluation, row);
    }

    private List<McpAction> recorded(boolean isOnRecord) {
        McpRequest event = waiting;
        waiting = null;
        if (event == null) {
            return List.of();
        }
        return List.of(isOnRecord ? new McpAction.Deliver(event) : new McpAction.Drop(McpCall.ENDING));
    }
}
