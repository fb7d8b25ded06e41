package dev.capsem.exchange.mcp;

import dev.capsem.events.Admission;
import dev.capsem.events.row.PolicyOutcome;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.security.SecurityEvent.McpResponse;
import java.util.Optional;

/// A thing that the shell of an [McpCall] or an [McpNotice] must do.
public sealed interface McpAction {
    /// The next input is [McpInput.Waited].
    record AskPerson(SecurityEvent event, Evaluation question) implements McpAction {}

    /// The next input is [McpInput.Recorded] or [McpInput.NotRecorded].
    ///
    /// @param row what `mcp_calls` gets; none if the call goes on
    record PutOnRecord(SecurityEvent event, Evaluation evaluation, Optional<Row> row) implements McpAction {}

    /// A row of `mcp_calls`.
    record Row(End end, PolicyOutcome policy) {}

    /// How it ended.
    enum End {
        /// A rule, a person or the state of the tool stopped it before it reached anybody.
        REFUSED,
        /// There is no such tool.
        NO_TOOL,
        /// The client gave it up.
        CANCELLED,
        /// It ran, and its answer was withheld.
        WITHHELD,
        /// It ran, and its answer, a result or an error, is passed on.
        ANSWERED
    }

    /// Carry the call out. The next input is [McpInput.Replied] or [McpInput.GivenUp].
    ///
    /// @param event as it may go
    /// @param away why the server of the tool is not there: then the call fails at once
    record Forward(McpRequest event, Optional<String> away) implements McpAction {}

    /// Pass the answer on.
    ///
    /// @param changed what a rule made of it
    record Answer(Optional<McpResponse> changed) implements McpAction {}

    /// Answer that a rule, a person or the state of the tool stopped it.
    ///
    /// @param subject what was stopped
    record Refuse(Subject subject, Evaluation evaluation) implements McpAction {}

    enum Subject {
        REQUEST,
        RESPONSE
    }

    /// Answer that there is no such tool.
    record NoSuchTool(McpRequest event) implements McpAction {}

    /// Answer that it cannot be put on record, and so did not happen.
    record FailUnrecorded(Admission.Refused refused) implements McpAction {}

    /// Pass the notice on.
    record Deliver(McpRequest event) implements McpAction {}

    /// The notice is not passed on, since it cannot be put on record.
    record Drop(Admission.Refused refused) implements McpAction {}
}
