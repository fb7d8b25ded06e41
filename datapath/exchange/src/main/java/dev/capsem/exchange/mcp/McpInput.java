package dev.capsem.exchange.mcp;

import dev.capsem.events.Admission;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.security.SecurityEvent.McpResponse;
import dev.capsem.exchange.Awaited;

/// A fact that an [McpCall] or an [McpNotice] learns.
public sealed interface McpInput {
    /// The record has room for what becomes of it.
    record Admitted(McpRequest event) implements McpInput {}

    record NotAdmitted(Admission.Refused refused) implements McpInput {}

    /// The result of the question to a person.
    record Waited(Awaited awaited) implements McpInput {}

    /// The client takes its request back. May come at any time.
    record Cancelled() implements McpInput {}

    record Recorded() implements McpInput {}

    record NotRecorded() implements McpInput {}

    /// @param isResult false if the other side answered with an error, or not at all
    record Replied(McpResponse event, boolean isResult) implements McpInput {}

    /// The client cancelled the call while it ran.
    ///
    /// @param event what stands for the answer that never came
    record GivenUp(McpResponse event) implements McpInput {}
}
