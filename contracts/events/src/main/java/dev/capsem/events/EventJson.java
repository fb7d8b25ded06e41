package dev.capsem.events;

import dev.capsem.events.row.Row;
import dev.capsem.events.row.RowValues;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The stable JSON form of an exchange, for live views and logs: `{"event": {…}, "rows": [{"table": "exec_events",
/// …}]}`. Members are the columns of the tables under their own names; absent ones are left out; rows that belong
/// to a row are arrays under their table's name.
public final class EventJson {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private EventJson() {}

    public static String write(RecordedExchange exchange) {
        return tree(exchange).toString();
    }

    public static ObjectNode tree(RecordedExchange exchange) {
        ObjectNode out = NODES.objectNode();
        out.set("event", tree(exchange.event()));
        ArrayNode rows = out.putArray("rows");
        for (Row row : exchange.rows()) {
            ObjectNode node = NODES.objectNode();
            node.put("table", row.shape().table());
            node.setAll(tree(row));
            rows.add(node);
        }
        return out;
    }

    /// One row with its children.
    public static ObjectNode tree(Row row) {
        Members members = new Members(row.shape().columns());
        row.values(members);
        for (Row child : row.children()) {
            members.node.withArray(child.shape().table()).add(tree(child));
        }
        return members.node;
    }

    private static final class Members implements RowValues {
        private final ObjectNode node = NODES.objectNode();
        private final List<String> columns;
        private int next;

        Members(List<String> columns) {
            this.columns = columns;
        }

        @Override
        public void text(String value) {
            node.put(columns.get(next++), value);
        }

        @Override
        public void integer(long value) {
            node.put(columns.get(next++), value);
        }

        @Override
        public void real(double value) {
            node.put(columns.get(next++), value);
        }

        @Override
        public void absent() {
            next++;
        }
    }
}
