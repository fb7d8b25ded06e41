package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// A text frame from client to service on a started terminal connection.
public sealed interface TerminalControl {
    record Resize(int rows, int columns) implements TerminalControl {}

    record Signal(int number) implements TerminalControl {}

    record InputEnd() implements TerminalControl {}

    default ObjectNode toJson() {
        ObjectNode json = Json.object();
        return switch (this) {
            case Resize resize -> {
                json.putObject("resize").put("rows", resize.rows).put("columns", resize.columns);
                yield json;
            }
            case Signal signal -> json.put("signal", signal.number);
            case InputEnd end -> json.put("input_end", true);
        };
    }

    /// Empty for a control that a newer client added.
    static Optional<TerminalControl> fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        Optional<TerminalControl> resize = fields.optionalObject("resize").map(size -> {
            return new Resize(size.integer("rows"), size.integer("columns"));
        });
        return resize.or(() -> fields.optionalInteger("signal").map(Signal::new))
                .or(() -> fields.flag("input_end", false) ? Optional.of(new InputEnd()) : Optional.empty());
    }
}
