package dev.capsem.mcp.record;

import dev.capsem.events.vocabulary.TraceId;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// Finds the conversation in which a model asked for a tool, so that the call and the question share a trace.
public interface CallTraces {
    CallTraces NONE = (tool, arguments) -> Optional.empty();

    /// @param tool the whole name, as the guest called it
    Optional<TraceId> of(String tool, Optional<JsonNode> arguments);
}
