package dev.capsem.mcp.connection;

import dev.capsem.events.row.ClaimedCaller;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.JsonDocument;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.mcp.method.Call;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// Messages in the form that rules judge.
final class McpEvents {
    private McpEvents() {}

    static McpRequest of(Envelope envelope, Call call) {
        return new McpRequest(
                envelope,
                call.request().method(),
                call.server(),
                call.tool(),
                call.name(),
                call.arguments().map(JsonDocument::of),
                status(call.arguments()),
                call.meta().map(JsonDocument::of));
    }

    static McpRequest of(Envelope envelope, String method, String server, Optional<JsonNode> arguments) {
        return new McpRequest(
                envelope,
                method,
                server,
                Optional.empty(),
                Optional.empty(),
                arguments.map(JsonDocument::of),
                status(arguments),
                Optional.empty());
    }

    private static String status(Optional<JsonNode> arguments) {
        return arguments.isPresent() ? "valid_json" : "absent";
    }

    static ClaimedCaller caller(String processName) {
        return new ClaimedCaller(Optional.of(processName), Optional.empty());
    }
}
