package dev.capsem.toolserver;

import dev.capsem.wire.json.Json;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// One tool: what it says of itself, and what it does.
///
/// @param title for people
/// @param description for models: when to use it, what comes back
/// @param output the JSON Schema of its structured answer
public record McpTool(
        String name,
        String title,
        String description,
        Hints hints,
        ArgumentSchema input,
        Optional<ObjectNode> output,
        Work work) {
    /// A tool whose structured answer has no schema.
    public static McpTool of(
            String name, String title, String description, Hints hints, ArgumentSchema input, Work work) {
        return new McpTool(name, title, description, hints, input, Optional.empty(), work);
    }

    /// Runs on a thread of its own, which is interrupted when the call is cancelled.
    @FunctionalInterface
    public interface Work {
        /// Throws [ToolFailure] for what the caller can mend.
        ToolAnswer run(ToolCall call) throws InterruptedException;
    }

    /// The effects of a tool, as MCP's annotations state them.
    public record Hints(boolean readOnly, boolean destructive, boolean idempotent, boolean openWorld) {
        /// Looks, changes nothing.
        public static final Hints LOOKS = new Hints(true, false, true, false);
        /// Adds something.
        public static final Hints ADDS = new Hints(false, false, false, false);
        /// Brings something into a state; doing it twice is doing it once.
        public static final Hints SETS = new Hints(false, false, true, false);
        /// May take something away for good.
        public static final Hints DESTROYS = new Hints(false, true, true, false);
        /// Does whatever the arguments say.
        public static final Hints RUNS = new Hints(false, true, false, true);
    }

    public ObjectNode definition() {
        ObjectNode definition =
                Json.object().put("name", name).put("title", title).put("description", description);
        definition.set("inputSchema", input.toJson());
        output.ifPresent(schema -> definition.set("outputSchema", schema));
        definition
                .putObject("annotations")
                .put("title", title)
                .put("readOnlyHint", hints.readOnly())
                .put("destructiveHint", hints.destructive())
                .put("idempotentHint", hints.idempotent())
                .put("openWorldHint", hints.openWorld());
        return definition;
    }
}
