package dev.capsem.backends.builtin;

import dev.capsem.wire.json.Json;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// @param structured the same as data, for clients that read it
record ToolResult(String text, Optional<ObjectNode> structured) {
    static ToolResult of(String text) {
        return new ToolResult(text, Optional.empty());
    }

    static ToolResult of(ObjectNode structured) {
        return new ToolResult(Json.text(structured), Optional.of(structured));
    }

    ObjectNode toJson() {
        ObjectNode json = content(text);
        structured.ifPresent(value -> json.set("structuredContent", value));
        return json;
    }

    static ObjectNode failure(String message) {
        return content(message).put("isError", true);
    }

    private static ObjectNode content(String text) {
        ObjectNode json = Json.object();
        json.putArray("content").addObject().put("type", "text").put("text", text);
        return json;
    }
}
