package dev.capsem.telemetry.read;

import dev.capsem.telemetry.Databases;
import dev.capsem.telemetry.RowJson;
import dev.capsem.telemetry.SessionTally;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.telemetry.chain.ChainHead;
import dev.capsem.telemetry.report.CostReport;
import dev.capsem.telemetry.report.SecurityLog;
import dev.capsem.telemetry.report.Timeline;
import dev.capsem.telemetry.report.Troubles;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.HistoryReply;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/// Questions about one session.db, of a live sandbox or a dead one. Opens it read-only. Not safe for more than one
/// thread: open, ask, close.
public final class SessionReader implements AutoCloseable {
    /// What `/history/{id}/processes` shows at most.
    private static final int PROCESSES_MAX = 100;

    private final Connection connection;

    private SessionReader(Connection connection) {
        this.connection = connection;
    }

    /// Throws [TelemetryException] when there is no such database.
    public static SessionReader open(Path sessionDb) {
        return new SessionReader(Databases.forReading(sessionDb));
    }

    /// Which commands `/history` shows: those asked for through the API, those that the guest started, or both.
    public enum Layer {
        EXEC,
        AUDIT,
        ALL
    }

    /// @param search only commands that contain this text, in any case; empty = all
    /// @param folds processes with the same arguments under one command are one entry, with their `count`; the
    ///     command's own process is none
    public record HistoryQuery(Layer layer, String search, int limit, int offset, boolean folds) {
        /// The limit of a page.
        public static final int LIMIT_MAX = 10_000;

        public HistoryQuery {
            if (limit < 1 || limit > LIMIT_MAX || offset < 0) {
                throw new IllegalArgumentException("limit is 1 to " + LIMIT_MAX + ", offset at least 0");
            }
        }
    }

    /// Newest first.
    public HistoryReply history(HistoryQuery query) {
        return ask(() -> {
            String pattern = "%" + escaped(query.search()) + "%";
            long total = 0;
            try (PreparedStatement count = connection.prepareStatement(
                    "SELECT count(*) FROM (" + commands(query) + ") WHERE command LIKE ?1 ESCAPE '\\'")) {
                count.setString(1, pattern);
                try (ResultSet row = count.executeQuery()) {
                    total = row.next() ? row.getLong(1) : 0;
                }
            }
            List<HistoryReply.Entry> entries = new ArrayList<>();
            try (PreparedStatement select =
                    connection.prepareStatement("SELECT layer, id, count FROM (" + commands(query)
                            + ") WHERE command LIKE ?1 ESCAPE '\\' ORDER BY timestamp DESC, layer, id DESC"
                            + " LIMIT ?2 OFFSET ?3")) {
                select.setString(1, pattern);
                select.setInt(2, query.limit());
                select.setInt(3, query.offset());
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next()) {
                        entries.add(entry(rows.getString(1), rows.getLong(2), rows.getLong(3)));
                    }
                }
            }
            return new HistoryReply(entries, total, query.offset() + entries.size() < total);
        });
    }

    private static String commands(HistoryQuery query) {
        String exec = "SELECT 'exec' AS layer, id, timestamp, command, 1 AS count FROM exec_events";
        String audit = query.folds()
                ? "SELECT 'audit' AS layer, min(id) AS id, min(timestamp) AS timestamp, argv AS command, count(*) AS count"
                        + " FROM audit_events WHERE id NOT IN (SELECT min(id) FROM audit_events"
                        + " WHERE exec_event_id IS NOT NULL AND pid = session_id GROUP BY exec_event_id)"
                        + " GROUP BY exec_event_id, argv"
                : "SELECT 'audit' AS layer, id, timestamp, argv AS command, 1 AS count FROM audit_events";
        return switch (query.layer()) {
            case EXEC -> exec;
            case AUDIT -> audit;
            case ALL -> exec + " UNION ALL " + audit;
        };
    }

    private HistoryReply.Entry entry(String layer, long id, long count) throws SQLException {
        boolean isExec = layer.equals("exec");
        String sql = "SELECT * FROM " + (isExec ? "exec_events" : "audit_events") + " WHERE id = ?";
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setLong(1, id);
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    throw new IllegalStateException("a row vanished within one read");
                }
                ObjectNode details = RowJson.present(row);
                if (count > 1) {
                    details.put("count", count);
                }
                return new HistoryReply.Entry(
                        take(details, "timestamp"),
                        layer,
                        take(details, isExec ? "command" : "argv"),
                        number(details, "exit_code").map(Math::toIntExact),
                        number(details, "duration_ms"),
                        take(details, "stdout_preview"),
                        take(details, "stderr_preview"),
                        details.without("id"));
            }
        }
    }

    private static String take(ObjectNode details, String name) {
        var value = details.remove(name);
        return value == null ? "" : value.asString();
    }

    private static Optional<Long> number(ObjectNode details, String name) {
        var value = details.remove(name);
        return value == null ? Optional.empty() : Optional.of(value.longValue());
    }

    private static String escaped(String search) {
        return search.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_");
    }

    /// Answer to `GET /history/{id}/processes`.
    public ObjectNode processes() {
        return ask(() -> {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT exe, count(*) AS command_count,"
                            + " min(timestamp) AS first_seen, max(timestamp) AS last_seen FROM audit_events"
                            + " GROUP BY exe ORDER BY command_count DESC, exe LIMIT " + PROCESSES_MAX)) {
                ObjectNode reply = Json.object();
                reply.set("processes", RowJson.all(rows));
                return reply;
            }
        });
    }

    /// Answer to `GET /history/{id}/counts`.
    public ObjectNode counts() {
        SessionTally tally = ask(() -> SessionTally.read(connection));
        return Json.object()
                .put("exec_count", tally.of(SessionTally.Counter.PROCESS_EXEC_COUNT))
                .put("audit_count", tally.of(SessionTally.Counter.PROCESS_EVENT_COUNT));
    }

    /// What `/info` shows, by JSON name; see also [WriterStatus#counters()], which costs nothing.
    public Map<String, Long> counters() {
        return ask(() -> SessionTally.read(connection).byName());
    }

    /// `rows`, in the order of their first call, and `total`.
    public ObjectNode cost(CostReport.CostBy by) {
        return ask(() -> CostReport.read(connection, by));
    }

    public ObjectNode timeline(Timeline.Query query) {
        return ask(() -> Timeline.read(connection, query));
    }

    /// Failures, by kind: each with `columns` and `rows`, the newest first.
    ///
    /// @param since rows from then on, as the database writes times; empty for all
    /// @param limit of each kind
    public ObjectNode troubles(String since, int limit) {
        return ask(() -> Troubles.read(connection, since, limit));
    }

    /// The newest row of net_events; 0 when there is none.
    long lastRequest() {
        return ask(() -> {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT coalesce(max(id), 0) FROM net_events")) {
                return row.next() ? row.getLong(1) : 0L;
            }
        });
    }

    /// Rows of net_events that became HTTP, oldest first, without NULLs.
    List<ObjectNode> requests(long afterId, long lastId, int limit) {
        return ask(() -> {
            try (PreparedStatement select = connection.prepareStatement(
                    "SELECT * FROM net_events WHERE id > ?1 AND id <= ?2 AND method IS NOT NULL ORDER BY id LIMIT ?3")) {
                select.setLong(1, afterId);
                select.setLong(2, lastId);
                select.setInt(3, limit);
                List<ObjectNode> found = new ArrayList<>();
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next()) {
                        found.add(RowJson.present(rows));
                    }
                }
                return found;
            }
        });
    }

    /// The `security_logs` of `/logs/{id}`: the newest events, oldest of them first, one JSON line each.
    public String securityLog() {
        return ask(() -> new SecurityLog(connection).newest());
    }

    /// One recorded event.
    ///
    /// @param event its security_events row, without NULLs
    /// @param rule that decided, as its first step with a rule says
    /// @param address that it was judged by, if it was
    /// @param changes what rewrites did to it and to the request it answers, each after the type of the event
    /// @param rows what belongs to it or to its exchange, the first of each table, without NULLs
    /// @param files all rows of fs_events that belong to it
    /// @param isAnswered whether the record has an event of its own for the answer to it
    public record Evidence(
            ObjectNode event,
            Optional<String> rule,
            Optional<String> address,
            List<String> changes,
            Map<String, ObjectNode> rows,
            List<ObjectNode> files,
            boolean isAnswered) {
        public Evidence {
            changes = List.copyOf(changes);
            rows = Map.copyOf(rows);
            files = List.copyOf(files);
        }

        public String eventId() {
            return event.path("event_id").asString();
        }
    }

    public Optional<Evidence> evidence(String eventId) {
        return ask(() -> new EvidenceQuery(connection).find("event_id = ?1", eventId, 1)).stream()
                .findFirst();
    }

    /// The newest event that was not simply allowed. A name that is asked about gets an address of our own at once:
    /// nothing is held there, the request that follows is.
    ///
    /// @param quiet ids of rules that refuse what nobody misses; their events come only if there are no others
    public Optional<Evidence> newestHeld(List<String> quiet) {
        String skipped = quiet.stream().map(rule -> rule + " ").collect(Collectors.joining());
        List<Evidence> found = ask(() -> new EvidenceQuery(connection)
                .find(
                        "event_id IN (SELECT event_id FROM security_events WHERE (final_action = 'block'"
                                + " OR (final_action = 'ask' AND event_type <> 'dns.request')) AND NOT EXISTS (SELECT 1"
                                + " FROM security_event_steps AS step WHERE step.event_id = security_events.event_id"
                                + " AND instr(?1, step.rule_id || ' ') > 0))",
                        skipped,
                        1));
        return found.isEmpty() && !quiet.isEmpty()
                ? newestHeld(List.of())
                : found.stream().findFirst();
    }

    /// The newest events, oldest of them first.
    public List<Evidence> newest(int limit) {
        return ask(() -> new EvidenceQuery(connection).find("event_id IS NOT NULL AND ?1 = ''", "", limit))
                .reversed();
    }

    public ChainHead head() {
        return ask(() -> ChainHead.of(connection));
    }

    public Connection connection() {
        return connection;
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    interface Question<T> {
        T answer() throws SQLException;
    }

    /// All reads of one question see one state of the database.
    private <T> T ask(Question<T> question) {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("BEGIN");
            try {
                return question.answer();
            } finally {
                statement.executeUpdate("ROLLBACK");
            }
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    private static TelemetryException failed(SQLException because) {
        return new TelemetryException(
                TelemetryException.Code.QUERY_FAILED,
                "the session database did not answer",
                "it may be damaged: check it with `capsem verify`",
                because);
    }
}
