package dev.capsem.toolserver;

import dev.capsem.wire.json.JsonMembers;
import tools.jackson.databind.node.ObjectNode;

/// A call of a tool with arguments that its schema allows.
public final class ToolCall {
    private final ObjectNode given;
    private final ProgressFeed progress;

    ToolCall(ObjectNode given, ProgressFeed progress) {
        this.given = given;
        this.progress = progress;
    }

    public JsonMembers arguments() {
        return JsonMembers.of(given, "arguments");
    }

    /// As they came; not to be changed.
    public ObjectNode given() {
        return given;
    }

    /// For the caller to see while the call goes on; dropped when the caller asked for no progress.
    public void progress(String news) {
        progress.add(news);
    }
}
