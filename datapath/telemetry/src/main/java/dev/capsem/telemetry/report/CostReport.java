package dev.capsem.telemetry.report;

import dev.capsem.telemetry.RowJson;
import dev.capsem.wire.json.Json;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// The cost of a session's model calls. A sum with a call in it whose price is not known is not known either; how
/// many such calls there are, and what the others cost, stands beside it.
public final class CostReport {
    private static final String SUMS = """
            count(*) AS calls,
            coalesce(sum(input_tokens), 0) AS input_tokens,
            coalesce(sum(output_tokens), 0) AS output_tokens,
            coalesce(sum(CASE WHEN json_valid(usage_details)
                THEN json_extract(usage_details, '$.cache_read') END), 0) AS cache_read_tokens,
            coalesce(sum(CASE WHEN json_valid(usage_details)
                THEN json_extract(usage_details, '$.cache_write') END), 0) AS cache_write_tokens,
            coalesce(sum(CASE WHEN json_valid(usage_details)
                THEN json_extract(usage_details, '$.thinking') END), 0) AS thinking_tokens,
            CASE WHEN count(*) = count(cost) THEN coalesce(sum(cost), 0.0) END AS cost_usd,
            coalesce(sum(cost), 0.0) AS known_cost_usd,
            count(*) - count(cost) AS unknown_calls,
            coalesce(sum(duration_ms), 0) AS duration_ms
            """;

    /// A call that failed and counted no tokens cost nothing, also where an older record left its cost open.
    private static final String CALLS = """
             FROM (SELECT *, CASE WHEN estimated_cost_usd IS NULL AND status_code >= 400
                 AND coalesce(input_tokens, 0) = 0 AND coalesce(output_tokens, 0) = 0
                 THEN 0.0 ELSE estimated_cost_usd END AS cost FROM model_calls)
            """;

    /// How a cost report is broken down: by the turns of an agent, by model, or by who called.
    public enum CostBy {
        TRACE,
        MODEL,
        PROCESS
    }

    private CostReport() {}

    public static ObjectNode read(Connection connection, CostBy by) throws SQLException {
        String key = switch (by) {
            case TRACE -> "trace_id";
            case MODEL -> "model";
            case PROCESS -> "process_name";
        };
        ObjectNode report = Json.object();
        try (Statement statement = connection.createStatement()) {
            try (ResultSet rows = statement.executeQuery("SELECT " + key + " AS key, group_concat(DISTINCT model)"
                    + " AS models, min(timestamp) AS first_at, " + SUMS
                    + CALLS + " GROUP BY key ORDER BY min(id)")) {
                report.set("rows", RowJson.all(rows));
            }
            try (ResultSet total = statement.executeQuery("SELECT " + SUMS + CALLS)) {
                ArrayNode one = RowJson.all(total);
                report.set("total", one.get(0));
            }
        }
        return report;
    }
}
