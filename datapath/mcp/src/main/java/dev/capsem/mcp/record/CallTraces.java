package dev.capsem.mcp.record;

import dev.capsem.events.vocabulary.TraceId;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// Finds the conversation in which a model asked for a tool, so that the call and the question share a trace.
public interface CallTraces {
    CallTraces NONE = (tool, arguments) -> Optional.empty();

    /// @param callId under which the model asked
    record Asked(TraceId trace, String callId) {}

    /// Each requested call is matched at most once.
    ///
    /// @param tool the whole name, as the guest called it
    Optional<Asked> of(String tool, Optional<JsonNode> arguments);
}
