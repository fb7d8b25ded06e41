package dev.capsem.telemetry.read;

import dev.capsem.events.row.Step;
import dev.capsem.telemetry.RowJson;
import dev.capsem.telemetry.RowRefs;
import dev.capsem.telemetry.read.SessionReader.Evidence;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Finds events together with the rows that say what they were about. The rows of an exchange are stored once, with
/// one of its events; the others find them through the event that all of them belong to. Serves one question.
final class EvidenceQuery {
    private static final String FILES = "fs_events";
    private static final String MODEL_CALLS = "model_calls";

    private static final Set<String> TABLES = Set.of(
            "net_events", "dns_events", "mcp_calls", MODEL_CALLS, FILES, "exec_events", "ai_mcp_execution_evidence");

    /// The evidence of a row of model_calls.
    private static final List<String> MODEL_PARTS = List.of("tool_calls", "tool_responses", "ai_model_interactions");

    /// The table that tells what events of a family were about.
    private static final Map<String, String> TABLE_OF_FAMILY =
            Map.of("http", "net_events", "mcp", "mcp_calls", "model", MODEL_CALLS);

    /// An event that belongs to another.
    private record Part(String id, String type) {}

    private final Connection connection;
    private final Map<String, List<Part>> partsOf = new HashMap<>();
    private final Map<String, String> rowRefsOf = new HashMap<>();

    EvidenceQuery(Connection connection) {
        this.connection = connection;
    }

    /// The newest first.
    ///
    /// @param which a condition on event_chain with the parameter ?1
    List<Evidence> find(String which, String parameter, int limit) throws SQLException {
        readParts();
        List<Evidence> found = new ArrayList<>();
        try (PreparedStatement links = connection.prepareStatement(
                        "SELECT event_id, row_refs FROM event_chain WHERE " + which + " ORDER BY seq DESC LIMIT ?2");
                PreparedStatement events =
                        connection.prepareStatement("SELECT * FROM security_events WHERE event_id = ?")) {
            links.setString(1, parameter);
            links.setInt(2, limit);
            try (ResultSet link = links.executeQuery()) {
                while (link.next()) {
                    events.setString(1, link.getString(1));
                    try (ResultSet event = events.executeQuery()) {
                        if (event.next()) {
                            found.add(evidence(RowJson.present(event), link.getString(2)));
                        }
                    }
                }
            }
        }
        return found;
    }

    /// One pass: the column has no index, and asking for each event would be quadratic.
    private void readParts() throws SQLException {
        try (Statement select = connection.createStatement();
                ResultSet rows = select.executeQuery("SELECT parent_event_id, event_id, event_type FROM"
                        + " security_events WHERE parent_event_id IS NOT NULL ORDER BY rowid")) {
            while (rows.next()) {
                partsOf.computeIfAbsent(rows.getString(1), _ -> new ArrayList<>())
                        .add(new Part(rows.getString(2), rows.getString(3)));
            }
        }
    }

    private Evidence evidence(ObjectNode event, String rowRefs) throws SQLException {
        String id = event.path("event_id").asString();
        Map<String, ObjectNode> rows = new HashMap<>();
        List<ObjectNode> files = new ArrayList<>();
        addRows(rowRefs, rows, files);
        addRowsOfExchange(event, rows);
        boolean isAnswered =
                partsOf.getOrDefault(id, List.of()).stream().anyMatch(part -> part.type.endsWith(".response"));
        return new Evidence(event, rule(id), address(event), changes(event), rows, files, isAnswered);
    }

    private void addRowsOfExchange(ObjectNode event, Map<String, ObjectNode> rows) throws SQLException {
        String wanted = TABLE_OF_FAMILY.get(event.path("event_family").asString());
        if (wanted == null || rows.containsKey(wanted)) {
            return;
        }
        String root =
                event.path("parent_event_id").asString(event.path("event_id").asString());
        List<String> exchange = new ArrayList<>(List.of(root));
        partsOf.getOrDefault(root, List.of()).forEach(part -> exchange.add(part.id));
        for (String other : exchange) {
            Map<String, ObjectNode> theirs = new HashMap<>();
            addRows(rowRefs(other), theirs, new ArrayList<>());
            theirs.forEach(rows::putIfAbsent);
            if (rows.containsKey(wanted)) {
                return;
            }
        }
    }

    /// One pass as well: the chain is found by its numbers only.
    private String rowRefs(String eventId) throws SQLException {
        if (rowRefsOf.isEmpty()) {
            try (Statement select = connection.createStatement();
                    ResultSet rows = select.executeQuery(
                            "SELECT event_id, row_refs FROM event_chain WHERE event_id IS NOT NULL")) {
                while (rows.next()) {
                    rowRefsOf.put(rows.getString(1), rows.getString(2));
                }
            }
        }
        return rowRefsOf.getOrDefault(eventId, "");
    }

    private void addRows(String rowRefs, Map<String, ObjectNode> rows, List<ObjectNode> files) throws SQLException {
        for (RowRefs.Ref ref : RowRefs.parse(rowRefs)) {
            boolean isFile = ref.kind().equals(FILES);
            if (!TABLES.contains(ref.kind()) || (rows.containsKey(ref.kind()) && !isFile)) {
                continue;
            }
            Optional<ObjectNode> row = row(ref.kind(), ref.id());
            if (row.isPresent()) {
                rows.putIfAbsent(ref.kind(), row.get());
                if (isFile) {
                    files.add(row.get());
                }
            }
        }
    }

    private Optional<ObjectNode> row(String table, long id) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT * FROM " + table + " WHERE id = ?")) {
            select.setLong(1, id);
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    return Optional.empty();
                }
                ObjectNode found = RowJson.present(row);
                if (table.equals(MODEL_CALLS)) {
                    addModelParts(found, id);
                }
                return Optional.of(found);
            }
        }
    }

    private void addModelParts(ObjectNode call, long id) throws SQLException {
        for (String table : MODEL_PARTS) {
            ArrayNode parts = call.putArray(table);
            try (PreparedStatement select =
                    connection.prepareStatement("SELECT * FROM " + table + " WHERE model_call_id = ? ORDER BY id")) {
                select.setLong(1, id);
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        parts.add(RowJson.present(row));
                    }
                }
            }
        }
    }

    private Optional<String> rule(String eventId) throws SQLException {
        return texts(
                        "SELECT rule_id FROM security_event_steps WHERE event_id = ?"
                                + " AND rule_id IS NOT NULL ORDER BY step_index LIMIT 1",
                        eventId)
                .stream()
                .findFirst();
    }

    private Optional<String> address(ObjectNode event) throws SQLException {
        String sql = "SELECT message FROM security_event_steps WHERE event_id = ? AND kind = 'preprocessor'"
                + " AND message IS NOT NULL ORDER BY step_index";
        List<String> messages =
                new ArrayList<>(texts(sql, event.path("event_id").asString()));
        messages.addAll(texts(sql, event.path("parent_event_id").asString("")));
        return messages.stream().map(Step::addressIn).flatMap(Optional::stream).findFirst();
    }

    /// Those of the request come before those of its answer.
    private List<String> changes(ObjectNode event) throws SQLException {
        String sql =
                "SELECT event_type || ' ' || message FROM security_event_steps JOIN security_events USING (event_id)"
                        + " WHERE event_id = ? AND message IS NOT NULL AND kind = 'postprocessor' AND status = 'applied'"
                        + " ORDER BY step_index";
        List<String> all =
                new ArrayList<>(texts(sql, event.path("parent_event_id").asString("")));
        all.addAll(texts(sql, event.path("event_id").asString()));
        return all;
    }

    private List<String> texts(String sql, String eventId) throws SQLException {
        List<String> found = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, eventId);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    found.add(row.getString(1));
                }
            }
        }
        return found;
    }
}
