package dev.capsem.telemetry.report;

import dev.capsem.telemetry.RowJson;
import dev.capsem.telemetry.SessionSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Everything that a session recorded, in the order in which it happened.
public final class Timeline {
    private static final String POLICY =
            " || coalesce(' policy=' || policy_action || coalesce('/' || policy_rule, ''), '')";

    private static final String NOTHING = "SELECT NULL AS timestamp, NULL AS layer, NULL AS ref, NULL AS summary,"
            + " NULL AS status, NULL AS duration_ms, NULL AS trace_id, 0 AS place, 0 AS number WHERE ?4 IS NULL";

    private Timeline() {}

    /// One table each: what a row's summary and status say, and how long it took.
    public enum Layer {
        EXEC(
                "exec_events",
                "command",
                "CASE WHEN exit_code IS NULL THEN 'unfinished' ELSE 'exit ' || exit_code END",
                "duration_ms"),
        MCP(
                "mcp_calls",
                "server_name || '/' || coalesce(tool_name, method) || coalesce(' (call_id=' || request_id || ')', '')"
                        + POLICY,
                "decision",
                "duration_ms"),
        NET(
                "net_events",
                "coalesce(method, '-') || ' ' || domain || coalesce(path, '')" + POLICY,
                "CASE WHEN decision = 'allowed' AND status_code IS NOT NULL THEN '' || status_code ELSE decision END",
                "duration_ms"),
        DNS("dns_events", "qname || ' rcode=' || rcode", "decision", "upstream_resolver_ms"),
        SECURITY(
                "security_events",
                "event_family || '/' || event_type || ' action=' || final_action"
                        + " || coalesce((SELECT ' rule=' || rule_id || coalesce(' pack=' || pack_id, '')"
                        + " FROM security_event_steps AS step WHERE step.event_id = t.event_id AND rule_id IS NOT NULL"
                        + " ORDER BY step_index LIMIT 1), '')"
                        + " || ' findings=' || finding_count || coalesce(' vm=' || vm_id, '')"
                        + " || coalesce(' profile=' || profile_id, '') || coalesce(' user=' || user_id, '')"
                        + " || coalesce(' owner=' || accounting_owner, '')",
                "final_action",
                "NULL"),
        AUDIT("audit_events", "argv", "'exit ' || exit_code", "NULL"),
        SNAPSHOT("snapshot_events", "origin || ' cp-' || slot || coalesce(' ' || name, '')", "NULL", "NULL"),
        GRANT("grant_uses", "grant_name || ' in ' || place || ' to ' || host", "use_count || '×'", "NULL"),
        FS("fs_events", "action || ' ' || path", "NULL", "NULL"),
        MODEL(
                "model_calls",
                "provider || '/' || coalesce(model, 'unknown')"
                        + " || coalesce(' ' || input_tokens || '→' || coalesce(output_tokens, 0) || ' tok', '')"
                        + " || CASE WHEN estimated_cost_usd IS NOT NULL THEN printf(' $%.4f', estimated_cost_usd)"
                        + " WHEN input_tokens > 0 THEN ' $?' ELSE '' END",
                "'' || status_code",
                "duration_ms"),
        /// What a model asked its client to do. The table has no time of its own: it is that of the call.
        TOOL(
                "(SELECT tool_calls.*, model_calls.timestamp FROM tool_calls"
                        + " JOIN model_calls ON model_calls.id = model_call_id)",
                "tool_calls",
                "tool_name || char(10) || coalesce(substr(arguments, 1, " + ToolGist.ARGUMENTS_LENGTH_MAX + "), '')",
                "(SELECT CASE is_error WHEN 1 THEN 'error' ELSE 'done' END FROM tool_responses AS r"
                        + " WHERE r.call_id = t.call_id ORDER BY r.id LIMIT 1)",
                "NULL");

        private final String from;
        private final String table;
        private final String summary;
        private final String status;
        private final String duration;

        Layer(String table, String summary, String status, String duration) {
            this(table, table, summary, status, duration);
        }

        Layer(String from, String table, String summary, String status, String duration) {
            this.from = from;
            this.table = table;
            this.summary = summary;
            this.status = status;
            this.duration = duration;
        }

        /// As callers name it.
        public static Optional<Layer> named(String name) {
            return EnumSet.allOf(Layer.class).stream()
                    .filter(layer -> layer.wireName().equals(name))
                    .findFirst();
        }

        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }

        /// The newest first, each layer by itself, so that its index serves.
        ///
        /// @param place among rows of the same time
        private String select(int place, String condition) {
            return "SELECT * FROM (SELECT timestamp, '" + wireName() + "' AS layer, '" + table + ":' || t.id AS ref, "
                    + summary + " AS summary, " + status + " AS status, " + duration + " AS duration_ms, trace_id, "
                    + place + " AS place, t.id AS number FROM " + from
                    + " AS t WHERE timestamp >= ?1 AND (?4 = '' OR timestamp <= ?4)" + condition
                    + " AND (?2 IS NULL OR trace_id IS NULL OR trace_id = ?2)"
                    + " ORDER BY timestamp DESC, t.id DESC LIMIT ?3)";
        }
    }

    /// @param since rows from then on, as the database writes times; empty for all
    /// @param until rows up to then, likewise
    /// @param traceId of a trace, its rows and those of none
    /// @param limit how many, of the newest
    /// @param folds agents' own files and short-lived ones become one row
    public record Query(
            Set<Layer> layers, String since, String until, Optional<String> traceId, int limit, boolean folds) {
        public static final int LIMIT_MAX = 2_000;

        public Query {
            layers = Set.copyOf(layers);
            if (layers.isEmpty() || limit < 1 || limit > LIMIT_MAX) {
                throw new IllegalArgumentException("at least one layer, limit 1 to " + LIMIT_MAX);
            }
        }
    }

    /// `columns` and `rows`, the oldest first.
    public static ObjectNode read(Connection connection, Query query) throws SQLException {
        List<Layer> layers = present(connection, query.layers());
        boolean folds = query.folds() && query.layers().contains(Layer.FS);
        String union = IntStream.range(0, layers.size())
                .mapToObj(place -> layers.get(place)
                        .select(
                                place,
                                folds && layers.get(place) == Layer.FS ? " AND NOT " + FoldedFiles.CONDITION : ""))
                .collect(Collectors.joining(" UNION ALL "));
        if (layers.isEmpty()) {
            union = NOTHING;
        }
        if (folds) {
            union += " UNION ALL " + FoldedFiles.select(layers.indexOf(Layer.FS));
        }
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT timestamp, layer, ref, summary, status, duration_ms, trace_id FROM (SELECT * FROM (" + union
                        + ") ORDER BY timestamp DESC, place DESC, number DESC LIMIT ?3)"
                        + " ORDER BY timestamp, place, number")) {
            select.setString(1, query.since());
            select.setString(2, query.traceId().orElse(null));
            select.setInt(3, query.limit());
            select.setString(4, query.until());
            try (ResultSet rows = select.executeQuery()) {
                return withGists(RowJson.table(rows));
            }
        }
    }

    /// A record from before grants has none; of the others each record has all.
    private static List<Layer> present(Connection connection, Set<Layer> asked) throws SQLException {
        boolean hasGrants = SessionSchema.has(connection, Layer.GRANT.table);
        return asked.stream()
                .filter(layer -> hasGrants || layer != Layer.GRANT)
                .sorted()
                .toList();
    }

    private static ObjectNode withGists(ObjectNode table) {
        for (JsonNode row : table.path("rows")) {
            if (row.path(1).asString("").equals(Layer.TOOL.wireName())) {
                String[] parts = row.path(3).asString("").split("\n", 2);
                ((ArrayNode) row).set(3, ToolGist.line(parts[0], parts.length < 2 ? "" : parts[1]));
            }
        }
        return table;
    }
}
