package dev.capsem.telemetry;

import dev.capsem.events.RecordedExchange;
import dev.capsem.events.row.AuditRow;
import dev.capsem.events.row.DnsRow;
import dev.capsem.events.row.ExecCompletion;
import dev.capsem.events.row.ExecRow;
import dev.capsem.events.row.FsRow;
import dev.capsem.events.row.GrantUse;
import dev.capsem.events.row.McpExecutionEvidence;
import dev.capsem.events.row.McpRow;
import dev.capsem.events.row.ModelRow;
import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.row.Projection;
import dev.capsem.events.row.SnapshotRow;
import dev.capsem.events.vocabulary.Enforceability;
import dev.capsem.events.vocabulary.FinalAction;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/// The totals of a session, as `/info` and `/list` show it. Counted along by the writer, or read from the tables:
/// both ways give the same numbers.
public final class SessionTally {
    /// The counters, each with its JSON name and the query that counts it.
    public enum Counter {
        TOTAL_REQUESTS("total_requests", "SELECT count(*) FROM net_events"),
        ALLOWED_REQUESTS("allowed_requests", "SELECT count(*) FROM net_events WHERE decision = 'allowed'"),
        DENIED_REQUESTS("denied_requests", "SELECT count(*) FROM net_events WHERE decision = 'denied'"),
        TOTAL_DNS_QUERIES("total_dns_queries", "SELECT count(*) FROM dns_events"),
        DENIED_DNS_QUERIES("denied_dns_queries", "SELECT count(*) FROM dns_events WHERE decision = 'denied'"),
        TOTAL_FILE_EVENTS("total_file_events", "SELECT count(*) FROM fs_events"),
        PROCESS_EVENT_COUNT("process_event_count", "SELECT count(*) FROM audit_events"),
        PROCESS_EXEC_COUNT("process_exec_count", "SELECT count(*) FROM exec_events"),
        MODEL_CALL_COUNT("model_call_count", "SELECT count(*) FROM model_calls"),
        TOTAL_INPUT_TOKENS("total_input_tokens", "SELECT coalesce(sum(input_tokens), 0) FROM model_calls"),
        TOTAL_OUTPUT_TOKENS("total_output_tokens", "SELECT coalesce(sum(output_tokens), 0) FROM model_calls"),
        /// Millionths of a dollar, of the calls whose price is known.
        TOTAL_COST_MICROS(
                "total_estimated_cost_micros",
                "SELECT coalesce(sum(cast(round(estimated_cost_usd * 1000000) AS INTEGER)), 0) FROM model_calls"),
        TOTAL_TOOL_CALLS("total_tool_calls", "SELECT count(*) FROM tool_calls"),
        TOTAL_MCP_CALLS("total_mcp_calls", "SELECT count(*) FROM mcp_calls"),
        TOTAL_SNAPSHOTS("total_snapshots", "SELECT count(*) FROM snapshot_events"),
        SECURITY_EVENTS_TOTAL("security_events_total", "SELECT count(*) FROM security_events"),
        /// Events that waited for our word.
        ENFORCEMENT_DECISIONS_TOTAL(
                "enforcement_decisions_total",
                "SELECT count(*) FROM security_events WHERE enforceability = 'inline_blockable'"),
        DETECTION_FINDINGS_TOTAL("detection_findings_total", "SELECT count(*) FROM detection_findings"),
        BLOCKS_TOTAL("blocks_total", "SELECT count(*) FROM security_events WHERE final_action = 'block'");

        private final String jsonName;
        private final String query;

        Counter(String jsonName, String query) {
            this.jsonName = jsonName;
            this.query = query;
        }
    }

    private final EnumMap<Counter, Long> counts = new EnumMap<>(Counter.class);

    public static SessionTally read(Connection connection) throws SQLException {
        SessionTally tally = new SessionTally();
        try (Statement statement = connection.createStatement()) {
            for (Counter counter : Counter.values()) {
                try (ResultSet row = statement.executeQuery(counter.query)) {
                    tally.add(counter, row.next() ? row.getLong(1) : 0);
                }
            }
        }
        return tally;
    }

    public void add(RecordedExchange exchange) {
        var event = exchange.event();
        add(Counter.SECURITY_EVENTS_TOTAL, 1);
        add(Counter.DETECTION_FINDINGS_TOTAL, event.findings().size());
        if (event.judgement().enforceability() == Enforceability.INLINE_BLOCKABLE) {
            add(Counter.ENFORCEMENT_DECISIONS_TOTAL, 1);
        }
        if (event.judgement().finalAction() == FinalAction.BLOCK) {
            add(Counter.BLOCKS_TOTAL, 1);
        }
        for (Projection row : exchange.rows()) {
            add(row);
        }
    }

    private void add(Projection projection) {
        switch (projection) {
            case NetRow row -> {
                add(Counter.TOTAL_REQUESTS, 1);
                add(Counter.ALLOWED_REQUESTS, row.decision() == Outcome.ALLOWED ? 1 : 0);
                add(Counter.DENIED_REQUESTS, row.decision() == Outcome.DENIED ? 1 : 0);
            }
            case DnsRow row -> {
                add(Counter.TOTAL_DNS_QUERIES, 1);
                add(Counter.DENIED_DNS_QUERIES, row.decision() == Outcome.DENIED ? 1 : 0);
            }
            case ModelRow row -> {
                add(Counter.MODEL_CALL_COUNT, 1);
                add(Counter.TOTAL_INPUT_TOKENS, row.usage().inputTokens().orElse(0));
                add(Counter.TOTAL_OUTPUT_TOKENS, row.usage().outputTokens().orElse(0));
                add(
                        Counter.TOTAL_COST_MICROS,
                        Math.round(row.usage().estimatedCostUsd().orElse(0) * 1_000_000));
                add(Counter.TOTAL_TOOL_CALLS, row.toolCalls().size());
            }
            case FsRow row -> add(Counter.TOTAL_FILE_EVENTS, 1);
            case AuditRow row -> add(Counter.PROCESS_EVENT_COUNT, 1);
            case ExecRow row -> add(Counter.PROCESS_EXEC_COUNT, 1);
            case McpRow row -> add(Counter.TOTAL_MCP_CALLS, 1);
            case SnapshotRow row -> add(Counter.TOTAL_SNAPSHOTS, 1);
            case ExecCompletion row -> {}
            case McpExecutionEvidence row -> {}
            case GrantUse row -> {}
        }
    }

    public void addAll(SessionTally other) {
        other.counts.forEach(this::add);
    }

    private void add(Counter counter, long amount) {
        if (amount != 0) {
            counts.merge(counter, amount, Long::sum);
        }
    }

    public long of(Counter counter) {
        return counts.getOrDefault(counter, 0L);
    }

    /// All counters by their JSON names, zeros included.
    public Map<String, Long> byName() {
        Map<String, Long> names = new TreeMap<>();
        for (Counter counter : Counter.values()) {
            names.put(counter.jsonName, of(counter));
        }
        return Map.copyOf(names);
    }
}
