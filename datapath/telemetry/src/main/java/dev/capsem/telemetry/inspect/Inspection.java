package dev.capsem.telemetry.inspect;

import dev.capsem.wire.json.Json;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// The result of a query.
public sealed interface Inspection {
    /// @param rows arrays, as wide as `columns`
    /// @param truncated there was more than the limits let through
    record Rows(List<String> columns, ArrayNode rows, boolean truncated) implements Inspection {
        public Rows {
            columns = List.copyOf(columns);
        }

        public ObjectNode toJson() {
            ObjectNode reply = Json.object();
            ArrayNode names = reply.putArray("columns");
            columns.forEach(names::add);
            reply.set("rows", rows);
            return reply.put("truncated", truncated);
        }
    }

    /// Not run at all, or refused by the database.
    record Refused(String reason) implements Inspection {}

    /// It ran into a limit of time or memory.
    record Stopped(String reason) implements Inspection {}
}
