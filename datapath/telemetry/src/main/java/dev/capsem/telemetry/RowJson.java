package dev.capsem.telemetry;

import dev.capsem.wire.json.Json;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Rows of a query as JSON objects, columns under their own names.
public final class RowJson {
    private RowJson() {}

    /// The current row, without its NULLs.
    public static ObjectNode present(ResultSet row) throws SQLException {
        ObjectNode node = Json.object();
        ResultSetMetaData columns = row.getMetaData();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            put(node, columns.getColumnLabel(i), row.getObject(i), false);
        }
        return node;
    }

    /// All remaining rows, NULLs included.
    public static ArrayNode all(ResultSet rows) throws SQLException {
        ArrayNode array = Json.array();
        ResultSetMetaData columns = rows.getMetaData();
        while (rows.next()) {
            ObjectNode node = array.addObject();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                put(node, columns.getColumnLabel(i), rows.getObject(i), true);
            }
        }
        return array;
    }

    /// All remaining rows as `columns` and `rows`.
    public static ObjectNode table(ResultSet result) throws SQLException {
        ResultSetMetaData meta = result.getMetaData();
        ObjectNode table = Json.object();
        ArrayNode columns = table.putArray("columns");
        for (int i = 1; i <= meta.getColumnCount(); i++) {
            columns.add(meta.getColumnLabel(i));
        }
        ArrayNode rows = table.putArray("rows");
        for (JsonNode object : all(result)) {
            ArrayNode row = rows.addArray();
            object.values().forEach(row::add);
        }
        return table;
    }

    private static void put(ObjectNode node, String name, @Nullable Object value, boolean keepNull) {
        switch (value) {
            case null -> {
                if (keepNull) {
                    node.putNull(name);
                }
            }
            case String text -> node.put(name, text);
            case Integer number -> node.put(name, number);
            case Long number -> node.put(name, number);
            case Double number -> node.put(name, number);
            case byte[] bytes -> node.put(name, bytes);
            default -> throw new IllegalStateException("SQLite has no such type");
        }
    }
}
