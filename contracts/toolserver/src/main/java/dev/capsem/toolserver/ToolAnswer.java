package dev.capsem.toolserver;

import dev.capsem.wire.json.Json;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// @param structured the same as data; matches the tool's output schema
/// @param details of a failure, for programs
public record ToolAnswer(String text, Optional<ObjectNode> structured, boolean isError, Optional<ObjectNode> details) {
    /// Where programs find [#details] in the result's `_meta`.
    public static final String DETAILS = "dev.capsem/error";

    public static ToolAnswer of(String text) {
        return new ToolAnswer(text, Optional.empty(), false, Optional.empty());
    }

    /// Its text is the structure itself.
    public static ToolAnswer of(ObjectNode structured) {
        return of(Json.text(structured), structured);
    }

    public static ToolAnswer of(String text, ObjectNode structured) {
        return new ToolAnswer(text, Optional.of(structured), false, Optional.empty());
    }

    public static ToolAnswer failed(String text, ObjectNode details) {
        return new ToolAnswer(text, Optional.empty(), true, Optional.of(details));
    }

    ObjectNode toJson() {
        ObjectNode json = Json.object();
        json.putArray("content").addObject().put("type", "text").put("text", text);
        structured.ifPresent(value -> json.set("structuredContent", value));
        if (isError) {
            json.put("isError", true);
        }
        details.ifPresent(value -> json.putObject("_meta").set(DETAILS, value));
        return json;
    }
}
