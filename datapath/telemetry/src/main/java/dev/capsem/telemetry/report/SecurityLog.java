package dev.capsem.telemetry.report;

import dev.capsem.telemetry.RowJson;
import dev.capsem.telemetry.RowRefs;
import dev.capsem.wire.json.Json;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Resolved events as log lines, each with what its steps, findings and rows say about it. Which rows belong to an
/// event the hash chain knows exactly.
public final class SecurityLog {
    static final int EVENTS_MAX = 1_000;

    /// For each table, which of its columns a line shows, and under which name.
    private static final Map<String, Map<String, String>> SHOWN = Map.of(
            "dns_events", Map.of("qname", "dns_qname"),
            "net_events", Map.of("domain", "http_host", "path", "http_path"),
            "mcp_calls", Map.of("server_name", "mcp_server_id", "tool_name", "mcp_tool_name"),
            "model_calls", Map.of("provider", "model_provider", "model", "model_name"),
            "fs_events", Map.of("path", "file_path"),
            "exec_events", Map.of("command", "process_command"));

    private final Connection connection;

    public SecurityLog(Connection connection) {
        this.connection = connection;
    }

    public String newest() throws SQLException {
        List<String> lines = new ArrayList<>();
        try (PreparedStatement links = connection.prepareStatement("SELECT event_id, row_refs FROM event_chain"
                        + " WHERE event_id IS NOT NULL ORDER BY seq DESC LIMIT " + EVENTS_MAX);
                PreparedStatement events =
                        connection.prepareStatement("SELECT * FROM security_events WHERE event_id = ?");
                ResultSet link = links.executeQuery()) {
            while (link.next()) {
                String eventId = link.getString(1);
                events.setString(1, eventId);
                try (ResultSet event = events.executeQuery()) {
                    if (event.next()) {
                        lines.add(Json.text(line(RowJson.present(event), eventId, link.getString(2))));
                    }
                }
            }
        }
        return lines.reversed().stream().map(line -> line + "\n").collect(Collectors.joining());
    }

    private ObjectNode line(ObjectNode event, String eventId, String rowRefs) throws SQLException {
        event.remove("id");
        String timestamp = event.remove("timestamp").asString();
        ObjectNode fields = Json.object().put("message", "resolved_security_event");
        fields.setAll(event);
        addStep(fields, eventId);
        addFindings(fields, eventId);
        for (RowRefs.Ref ref : RowRefs.parse(rowRefs)) {
            addRow(fields, ref);
        }
        ObjectNode line =
                Json.object().put("timestamp", timestamp).put("level", "INFO").put("target", "security.event");
        line.set("fields", fields);
        return line;
    }

    /// The first step that names a rule is the one that decided.
    private void addStep(ObjectNode fields, String eventId) throws SQLException {
        try (PreparedStatement steps =
                connection.prepareStatement("SELECT rule_id, pack_id, message AS reason FROM security_event_steps"
                        + " WHERE event_id = ? AND rule_id IS NOT NULL ORDER BY step_index LIMIT 1")) {
            steps.setString(1, eventId);
            try (ResultSet step = steps.executeQuery()) {
                if (step.next()) {
                    fields.setAll(RowJson.present(step));
                }
            }
        }
    }

    private void addFindings(ObjectNode fields, String eventId) throws SQLException {
        try (PreparedStatement findings =
                connection.prepareStatement("SELECT rule_id FROM detection_findings WHERE event_id = ? ORDER BY id")) {
            findings.setString(1, eventId);
            try (ResultSet finding = findings.executeQuery()) {
                ArrayNode ids = Json.array();
                while (finding.next()) {
                    ids.add(finding.getString(1));
                }
                if (!ids.isEmpty()) {
                    fields.set("detection_rule_ids", ids);
                }
            }
        }
    }

    private void addRow(ObjectNode fields, RowRefs.Ref ref) throws SQLException {
        Map<String, String> shown = SHOWN.get(ref.kind());
        if (shown == null || shown.values().stream().anyMatch(fields::has)) {
            return; // Of many rows of one kind a line shows the first.
        }
        String columns = shown.entrySet().stream()
                .map(column -> column.getKey() + " AS " + column.getValue())
                .sorted()
                .collect(Collectors.joining(", "));
        try (PreparedStatement select =
                connection.prepareStatement("SELECT " + columns + " FROM " + ref.kind() + " WHERE id = ?")) {
            select.setLong(1, ref.id());
            try (ResultSet row = select.executeQuery()) {
                if (row.next()) {
                    fields.setAll(RowJson.present(row));
                }
            }
        }
    }
}
