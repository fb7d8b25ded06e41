package dev.capsem.mcp.connection;

import dev.capsem.events.security.JsonDocument;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.jsonrpc.JsonRpcError;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// JSON trees of what rules may have changed.
final class Trees {
    private Trees() {}

    static JsonNode of(JsonDocument document) {
        return Json.parse(document.text());
    }

    static ObjectNode arguments(McpRequest event) {
        return event.arguments()
                .map(Trees::of)
                .filter(ObjectNode.class::isInstance)
                .map(ObjectNode.class::cast)
                .orElseGet(Json::object);
    }

    static JsonRpcError error(JsonNode tree) {
        return new JsonRpcError(
                tree.path("code").asInt(JsonRpcError.INTERNAL_ERROR),
                tree.path("message").asString(""),
                Optional.ofNullable(tree.get("data")));
    }
}
