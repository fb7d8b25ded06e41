package dev.capsem.telemetry.write;

import dev.capsem.events.vocabulary.Timestamps;
import dev.capsem.telemetry.Databases;
import dev.capsem.telemetry.RowJson;
import dev.capsem.telemetry.SessionSchema;
import dev.capsem.telemetry.SessionTally;
import dev.capsem.telemetry.SessionTally.Counter;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.telemetry.chain.ChainHead;
import dev.capsem.wire.json.Json;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// main.db: every session of this host, also after its own database is gone. Safe for many threads, and for several
/// processes: transactions are short and wait for one another.
public final class MainDatabase implements AutoCloseable {
    /// `PRAGMA user_version`. The format's number before this implementation of it, so that older tools know it.
    static final int VERSION = 7;

    private static final int SESSIONS_SHOWN_MAX = 100;
    private static final int TOP_MAX = 10;

    private final InstantSource clock;

    /// Guards the connection: SQLite's are for one thread at a time.
    private final ReentrantLock lock = new ReentrantLock();

    private final Connection connection;

    private MainDatabase(Connection connection, InstantSource clock) {
        this.connection = connection;
        this.clock = clock;
    }

    /// How a session ended.
    public enum End {
        STOPPED,
        CRASHED
    }

    /// @param mode `run`, `temporary` or `persistent`
    public record SessionStart(
            String id,
            String mode,
            Optional<String> command,
            OptionalLong ramBytes,
            Optional<String> forkedFrom,
            boolean persistent) {}

    public static MainDatabase open(Path file, InstantSource clock) {
        Connection connection = Databases.forWriting(file);
        try {
            SessionSchema.install(connection, VERSION, "main-schema.sql");
            return new MainDatabase(connection, clock);
        } catch (SQLException e) {
            throw new TelemetryException(
                    TelemetryException.Code.OPEN_FAILED,
                    "cannot open " + file.getFileName(),
                    "check that it is a database of sessions and that the disk has space",
                    e);
        }
    }

    /// A new sandbox runs. An ended session that had the same name keeps its line, as `<id>@<when it began>`: names
    /// are used again, and neither sums nor chain may be mixed.
    public void created(SessionStart start) {
        change(() -> {
            for (String table : List.of("ai_usage", "tool_usage", "mcp_usage")) {
                update(
                        "UPDATE " + table + " SET session_id = session_id || '@' || (SELECT created_at FROM sessions"
                                + " WHERE id = session_id) WHERE session_id = ?",
                        start.id());
            }
            update("UPDATE sessions SET id = id || '@' || created_at WHERE id = ?", start.id());
        });
        started(start);
    }

    /// A session runs, for the first time or again.
    public void started(SessionStart start) {
        change(() -> {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO sessions"
                    + " (id, mode, command, status, created_at, ram_bytes, storage_mode, forked_from, persistent)"
                    + " VALUES (?, ?, ?, 'running', ?, ?, 'overlay', ?, ?) ON CONFLICT (id) DO UPDATE SET"
                    + " status = 'running', stopped_at = NULL, mode = excluded.mode,"
                    + " persistent = excluded.persistent")) {
                insert.setString(1, start.id());
                insert.setString(2, start.mode());
                setText(insert, 3, start.command());
                insert.setString(4, Timestamps.text(clock.instant()));
                if (start.ramBytes().isPresent()) {
                    insert.setLong(5, start.ramBytes().getAsLong());
                } else {
                    insert.setNull(5, Types.INTEGER);
                }
                setText(insert, 6, start.forkedFrom());
                insert.setInt(7, start.persistent() ? 1 : 0);
                insert.executeUpdate();
            }
        });
    }

    /// A session got another id: it was made persistent under a name. A forgotten session of that name gives way.
    public void renamed(String oldId, String newId) {
        change(() -> {
            for (String table : List.of("sessions", "ai_usage", "tool_usage", "mcp_usage")) {
                String key = table.equals("sessions") ? "id" : "session_id";
                update("DELETE FROM " + table + " WHERE " + key + " = ?", newId);
                update("UPDATE " + table + " SET " + key + " = ? WHERE " + key + " = ?", newId, oldId);
            }
            update("UPDATE sessions SET persistent = 1, mode = 'persistent' WHERE id = ?", newId);
        });
    }

    /// A session ended: keeps what its database adds up to, and the head of its chain. Doing it twice changes
    /// nothing. A database that is gone or unreadable leaves the sums as they were.
    public void ended(String id, End end, Path sessionDb) {
        Optional<RollUp> sums = RollUp.read(sessionDb);
        Optional<ChainHead> kept = head(id);
        change(() -> {
            update(
                    "UPDATE sessions SET status = ?, stopped_at = coalesce(stopped_at, ?) WHERE id = ?",
                    end.name().toLowerCase(Locale.ROOT),
                    Timestamps.text(clock.instant()),
                    id);
            if (sums.isPresent()) {
                store(id, sums.get());
                if (kept.isEmpty() || sums.get().continues(kept.get())) {
                    storeHead(id, sums.get().head());
                }
            }
        });
    }

    /// Keeps what the database of a session that runs adds up to by now. The head of its chain is kept when it ends.
    public void tally(String id, Path sessionDb) {
        Optional<RollUp> sums = RollUp.read(sessionDb);
        if (sums.isPresent()) {
            change(() -> store(id, sums.get()));
        }
    }

    /// Sessions that nobody has reported as ended: after a crash of the service, candidates for [End#CRASHED].
    public List<String> running() {
        return ask("SELECT id FROM sessions WHERE status = 'running' ORDER BY id", rows -> {
            List<String> ids = new ArrayList<>();
            while (rows.next()) {
                ids.add(rows.getString(1));
            }
            return ids;
        });
    }

    /// The head of the session's chain when it last ended. It never moves back, nor to a chain that does not
    /// contain it: then the old one stays and [ChainVerifier] tells the difference.
    public Optional<ChainHead> head(String id) {
        lock.lock();
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT chain_seq, chain_hash FROM sessions WHERE id = ? AND chain_hash IS NOT NULL")) {
            select.setString(1, id);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? Optional.of(new ChainHead(row.getLong(1), row.getString(2))) : Optional.empty();
            }
        } catch (SQLException e) {
            throw failed(e);
        } finally {
            lock.unlock();
        }
    }

    /// Answer to `GET /stats`.
    public ObjectNode stats() {
        ObjectNode reply = Json.object();
        reply.set(
                "global",
                all("SELECT count(*) AS total_sessions,"
                                + " count(CASE status WHEN 'running' THEN 1 END) AS running_sessions,"
                                + " coalesce(sum(total_requests), 0) AS total_requests,"
                                + " coalesce(sum(allowed_requests), 0) AS allowed_requests,"
                                + " coalesce(sum(denied_requests), 0) AS denied_requests,"
                                + " coalesce(sum(total_input_tokens), 0) AS total_input_tokens,"
                                + " coalesce(sum(total_output_tokens), 0) AS total_output_tokens,"
                                + " sum(total_estimated_cost) AS total_estimated_cost,"
                                + " coalesce(sum(total_tool_calls), 0) AS total_tool_calls,"
                                + " coalesce(sum(total_mcp_calls), 0) AS total_mcp_calls,"
                                + " coalesce(sum(total_file_events), 0) AS total_file_events,"
                                + " coalesce(sum(exec_count), 0) AS exec_count,"
                                + " coalesce(sum(audit_event_count), 0) AS audit_event_count FROM sessions")
                        .get(0));
        reply.set("sessions", all("SELECT * FROM sessions ORDER BY created_at DESC, id LIMIT " + SESSIONS_SHOWN_MAX));
        reply.set(
                "top_providers",
                all("SELECT provider, sum(call_count) AS call_count,"
                        + " sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,"
                        + " sum(estimated_cost) AS estimated_cost, sum(total_duration_ms) AS total_duration_ms"
                        + " FROM ai_usage GROUP BY provider ORDER BY call_count DESC, provider LIMIT " + TOP_MAX));
        reply.set(
                "top_tools",
                all("SELECT tool_name, sum(call_count) AS call_count, sum(total_bytes) AS total_bytes,"
                        + " sum(total_duration_ms) AS total_duration_ms"
                        + " FROM tool_usage GROUP BY tool_name ORDER BY call_count DESC, tool_name LIMIT " + TOP_MAX));
        reply.set(
                "top_mcp_tools",
                all("SELECT tool_name, max(server_name) AS server_name,"
                        + " sum(call_count) AS call_count, sum(total_bytes) AS total_bytes,"
                        + " sum(total_duration_ms) AS total_duration_ms"
                        + " FROM mcp_usage GROUP BY tool_name ORDER BY call_count DESC, tool_name LIMIT " + TOP_MAX));
        return reply;
    }

    @Override
    public void close() {
        lock.lock();
        try {
            connection.close();
        } catch (SQLException e) {
            throw failed(e);
        } finally {
            lock.unlock();
        }
    }

    private void store(String id, RollUp sums) throws SQLException {
        SessionTally tally = sums.tally();
        try (PreparedStatement update = connection.prepareStatement("UPDATE sessions SET total_requests = ?,"
                + " allowed_requests = ?, denied_requests = ?, total_input_tokens = ?, total_output_tokens = ?,"
                + " total_tool_calls = ?, total_mcp_calls = ?, total_file_events = ?, exec_count = ?,"
                + " audit_event_count = ?, total_estimated_cost = ? WHERE id = ?")) {
            int next = 1;
            for (Counter counter : List.of(
                    Counter.TOTAL_REQUESTS,
                    Counter.ALLOWED_REQUESTS,
                    Counter.DENIED_REQUESTS,
                    Counter.TOTAL_INPUT_TOKENS,
                    Counter.TOTAL_OUTPUT_TOKENS,
                    Counter.TOTAL_TOOL_CALLS,
                    Counter.TOTAL_MCP_CALLS,
                    Counter.TOTAL_FILE_EVENTS,
                    Counter.PROCESS_EXEC_COUNT,
                    Counter.PROCESS_EVENT_COUNT)) {
                update.setLong(next++, tally.of(counter));
            }
            update.setObject(next++, sums.cost());
            update.setString(next, id);
            update.executeUpdate();
        }
        for (RollUp.Usage usage : sums.usages()) {
            update("DELETE FROM " + usage.table() + " WHERE session_id = ?", id);
            for (List<Object> row : usage.rows()) {
                String marks = ", ?".repeat(row.size());
                try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + usage.table()
                        + " (session_id, " + usage.columns() + ") VALUES (?" + marks + ")")) {
                    insert.setString(1, id);
                    for (int i = 0; i < row.size(); i++) {
                        insert.setObject(i + 2, row.get(i));
                    }
                    insert.executeUpdate();
                }
            }
        }
    }

    private void storeHead(String id, ChainHead head) throws SQLException {
        update(
                "UPDATE sessions SET chain_seq = CAST(? AS INTEGER), chain_hash = ? WHERE id = ?",
                Long.toString(head.seq()),
                head.hash(),
                id);
    }

    private void update(String sql, String... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setString(i + 1, values[i]);
            }
            statement.executeUpdate();
        }
    }

    private static void setText(PreparedStatement statement, int index, Optional<String> value) throws SQLException {
        if (value.isPresent()) {
            statement.setString(index, value.get());
        } else {
            statement.setNull(index, Types.VARCHAR);
        }
    }

    private interface Change {
        void apply() throws SQLException;
    }

    private interface Reading<T> {
        T of(ResultSet rows) throws SQLException;
    }

    private void change(Change change) {
        lock.lock();
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("BEGIN IMMEDIATE");
            try {
                change.apply();
                statement.executeUpdate("COMMIT");
            } catch (SQLException | RuntimeException e) {
                statement.executeUpdate("ROLLBACK");
                throw e;
            }
        } catch (SQLException e) {
            throw failed(e);
        } finally {
            lock.unlock();
        }
    }

    private ArrayNode all(String sql) {
        return ask(sql, RowJson::all);
    }

    private <T> T ask(String sql, Reading<T> reading) {
        lock.lock();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return reading.of(rows);
        } catch (SQLException e) {
            throw failed(e);
        } finally {
            lock.unlock();
        }
    }

    private static TelemetryException failed(SQLException because) {
        return new TelemetryException(
                TelemetryException.Code.QUERY_FAILED,
                "main.db did not answer (" + SqliteFailure.code(because) + ")",
                "check the disk; the sandboxes themselves are not affected",
                because);
    }
}
