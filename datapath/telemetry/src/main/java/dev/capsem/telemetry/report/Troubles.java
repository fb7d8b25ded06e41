package dev.capsem.telemetry.report;

import dev.capsem.telemetry.RowJson;
import dev.capsem.wire.json.Json;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import tools.jackson.databind.node.ObjectNode;

/// Failures in a session: for each kind a table of the newest rows, the newest first.
public final class Troubles {
    /// From here on a call counts as slow.
    static final int SLOW_MILLIS_MIN = 500;

    private static final String WITHIN = " AND timestamp >= ?1 ORDER BY id DESC LIMIT ?2";

    private Troubles() {}

    public static ObjectNode read(Connection connection, String since, int limit) throws SQLException {
        ObjectNode troubles = Json.object();
        put(
                troubles,
                "denied_net",
                "SELECT timestamp, domain, method, path, decision, policy_action, policy_rule, policy_reason,"
                        + " process_name, trace_id FROM net_events WHERE decision = 'denied'" + WITHIN,
                connection,
                since,
                limit);
        put(
                troubles,
                "net_errors",
                "SELECT timestamp, domain, method, path, decision, status_code, policy_reason, process_name, trace_id"
                        + " FROM net_events WHERE (decision = 'error' OR status_code >= 500 AND decision = 'allowed')"
                        + WITHIN,
                connection,
                since,
                limit);
        put(
                troubles,
                "dns_issues",
                "SELECT timestamp, qname, rcode, decision, policy_rule, policy_reason, trace_id FROM dns_events"
                        + " WHERE (decision = 'denied' OR decision = 'error' OR rcode <> 0)" + WITHIN,
                connection,
                since,
                limit);
        put(
                troubles,
                "mcp_errors",
                "SELECT timestamp, server_name, tool_name, method, decision, error_message, policy_rule, policy_reason,"
                        + " trace_id FROM mcp_calls WHERE (decision <> 'allowed' OR error_message IS NOT NULL)"
                        + WITHIN,
                connection,
                since,
                limit);
        put(
                troubles,
                "exec_failures",
                "SELECT timestamp, command, exit_code, duration_ms, substr(stderr_preview, 1, 400) AS stderr, trace_id"
                        + " FROM exec_events WHERE (exit_code <> 0 OR exit_code IS NULL)" + WITHIN,
                connection,
                since,
                limit);
        put(
                troubles,
                "audit_failures",
                "SELECT timestamp, exe, argv, exit_code, trace_id FROM audit_events WHERE exit_code <> 0" + WITHIN,
                connection,
                since,
                limit);
        put(
                troubles,
                "security_decisions",
                "SELECT timestamp, event_family, event_type, final_action,"
                        + " (SELECT rule_id FROM security_event_steps AS step WHERE step.event_id = t.event_id"
                        + " AND rule_id IS NOT NULL ORDER BY step_index LIMIT 1) AS rule_id,"
                        + " (SELECT message FROM security_event_steps AS step WHERE step.event_id = t.event_id"
                        + " AND rule_id IS NOT NULL ORDER BY step_index LIMIT 1) AS reason, finding_count, trace_id"
                        + " FROM security_events AS t WHERE final_action <> 'continue' AND final_action <> 'observe_only'"
                        + WITHIN,
                connection,
                since,
                limit);
        put(troubles, "slow_calls", slow(), connection, since, limit);
        return troubles;
    }

    private static String slow() {
        String where = " WHERE duration_ms >= " + SLOW_MILLIS_MIN + " AND timestamp >= ?1";
        return "SELECT * FROM (SELECT timestamp, 'exec' AS layer, command AS what, duration_ms, trace_id FROM exec_events"
                + where
                + " UNION ALL SELECT timestamp, 'net', coalesce(method, '-') || ' ' || domain || coalesce(path, ''),"
                + " duration_ms, trace_id FROM net_events" + where
                + " UNION ALL SELECT timestamp, 'mcp', server_name || '/' || coalesce(tool_name, method), duration_ms,"
                + " trace_id FROM mcp_calls" + where
                + " UNION ALL SELECT timestamp, 'model', provider || '/' || coalesce(model, 'unknown'), duration_ms,"
                + " trace_id FROM model_calls" + where + ") ORDER BY duration_ms DESC LIMIT ?2";
    }

    private static void put(
            ObjectNode troubles, String name, String sql, Connection connection, String since, int limit)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, since);
            select.setInt(2, limit);
            try (ResultSet rows = select.executeQuery()) {
                troubles.set(name, RowJson.table(rows));
            }
        }
    }
}
