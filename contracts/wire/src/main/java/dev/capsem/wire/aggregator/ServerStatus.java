package dev.capsem.wire.aggregator;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// How one server is doing.
///
/// @param error why it is not connected, with what to do about it; if it is, why its tools are not known
public record ServerStatus(
        String name,
        Optional<String> url,
        boolean isEnabled,
        String source,
        boolean isStdio,
        boolean isConnected,
        int toolCount,
        int resourceCount,
        int promptCount,
        Optional<String> error) {
    /// The error of a server that was not reached yet, and not given up either.
    public static final String CONNECTING = "not connected yet";

    public ObjectNode toJson() {
        ObjectNode json = Json.object().put("name", name).put("url", url.orElse(""));
        json.put("enabled", isEnabled).put("source", source).put("is_stdio", isStdio);
        json.put("connected", isConnected).put("tool_count", toolCount);
        json.put("resource_count", resourceCount).put("prompt_count", promptCount);
        error.ifPresent(text -> json.put("error", text));
        return json;
    }

    static ServerStatus of(JsonMembers json) {
        return new ServerStatus(
                json.text("name"),
                json.optionalText("url").filter(url -> !url.isEmpty()),
                json.flag("enabled", true),
                json.optionalText("source").orElse(""),
                json.flag("is_stdio", false),
                json.flag("connected", false),
                json.integer("tool_count", 0),
                json.integer("resource_count", 0),
                json.integer("prompt_count", 0),
                json.optionalText("error"));
    }
}
