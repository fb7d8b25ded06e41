package dev.capsem.backends.builtin;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// One tool: what it says of itself, and what it does.
///
/// @param definition as `tools/list` shows it
record BuiltinTool(String name, ObjectNode definition, Work work) {
    interface Work {
        /// Throws [BuiltinToolFailure] for what the caller can mend; [dev.capsem.wire.json.JsonShapeException] for
        /// bad arguments.
        ToolResult run(JsonMembers arguments) throws BuiltinToolFailure, InterruptedException;
    }

    /// What a tool may do, as MCP's annotations say it.
    record Hints(boolean readOnly, boolean destructive, boolean idempotent, boolean openWorld) {}

    static BuiltinTool of(String name, String description, Hints hints, Schema schema, Work work) {
        ObjectNode definition = Json.object().put("name", name).put("description", description);
        definition.set("inputSchema", schema.toJson());
        definition
                .putObject("annotations")
                .put("readOnlyHint", hints.readOnly())
                .put("destructiveHint", hints.destructive())
                .put("idempotentHint", hints.idempotent())
                .put("openWorldHint", hints.openWorld());
        return new BuiltinTool(name, definition, work);
    }

    /// The arguments of a tool.
    record Schema(List<Argument> arguments) {
        /// @param type of JSON Schema; an `array` is one of strings
        record Argument(String name, String type, String description, boolean isRequired) {}

        static Schema of(Argument... arguments) {
            return new Schema(List.of(arguments));
        }

        static Argument required(String name, String type, String description) {
            return new Argument(name, type, description, true);
        }

        static Argument optional(String name, String type, String description) {
            return new Argument(name, type, description, false);
        }

        ObjectNode toJson() {
            ObjectNode schema = Json.object().put("type", "object");
            ObjectNode properties = schema.putObject("properties");
            ArrayNode required = Json.array();
            for (Argument argument : arguments) {
                ObjectNode property = properties
                        .putObject(argument.name())
                        .put("type", argument.type())
                        .put("description", argument.description());
                if (argument.type().equals("array")) {
                    property.putObject("items").put("type", "string");
                }
                if (argument.isRequired()) {
                    required.add(argument.name());
                }
            }
            if (!required.isEmpty()) {
                schema.set("required", required);
            }
            return schema;
        }
    }
}
