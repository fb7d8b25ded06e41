package dev.capsem.telemetry.write;

import dev.capsem.telemetry.Databases;
import dev.capsem.telemetry.SessionTally;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.telemetry.chain.ChainHead;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The totals of a session.db, read when its session has ended.
///
/// @param cost in dollars; null when no call has a known price
record RollUp(SessionTally tally, @Nullable Double cost, List<Usage> usages, ChainHead head, Path sessionDb) {
    private static final Logger LOG = LoggerFactory.getLogger(RollUp.class);

    /// Rows for one of main.db's usage tables.
    record Usage(String table, String columns, List<List<Object>> rows) {}

    static Optional<RollUp> read(Path sessionDb) {
        try (Connection connection = Databases.forReading(sessionDb);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("BEGIN");
            return Optional.of(new RollUp(
                    SessionTally.read(connection),
                    cost(statement),
                    List.of(
                            usage(
                                    statement,
                                    "ai_usage",
                                    "provider, call_count, input_tokens, output_tokens, estimated_cost,"
                                            + " total_duration_ms",
                                    "SELECT provider, count(*), coalesce(sum(input_tokens), 0),"
                                            + " coalesce(sum(output_tokens), 0), sum(estimated_cost_usd),"
                                            + " coalesce(sum(duration_ms), 0) FROM model_calls GROUP BY provider"),
                            usage(
                                    statement,
                                    "tool_usage",
                                    "tool_name, call_count, total_bytes",
                                    "SELECT tool_name, count(*),"
                                            + " coalesce(sum(length(CAST(arguments AS BLOB))), 0)"
                                            + " FROM tool_calls GROUP BY tool_name"),
                            usage(
                                    statement,
                                    "mcp_usage",
                                    "tool_name, server_name, call_count, total_bytes, total_duration_ms",
                                    "SELECT tool_name, max(server_name), count(*),"
                                            + " coalesce(sum(bytes_sent + bytes_received), 0),"
                                            + " coalesce(sum(duration_ms), 0) FROM mcp_calls"
                                            + " WHERE tool_name IS NOT NULL GROUP BY tool_name")),
                    ChainHead.of(connection),
                    sessionDb));
        } catch (TelemetryException e) {
            LOG.warn("a session ended without a database to add up: {}", e.code());
            return Optional.empty();
        } catch (SQLException e) {
            LOG.warn("a session's database could not be added up: {}", SqliteFailure.code(e));
            return Optional.empty();
        }
    }

    /// Whether the session's chain still contains `older`, so that its own head may take that one's place.
    boolean continues(ChainHead older) {
        try (Connection connection = Databases.forReading(sessionDb);
                PreparedStatement select = connection.prepareStatement("SELECT hash FROM event_chain WHERE seq = ?")) {
            select.setLong(1, older.seq());
            try (ResultSet row = select.executeQuery()) {
                return older.seq() == 0 || (row.next() && older.hash().equals(row.getString(1)));
            }
        } catch (SQLException e) {
            return false;
        }
    }

    private static @Nullable Double cost(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT sum(estimated_cost_usd) FROM model_calls")) {
            return row.next() && row.getObject(1) instanceof Double cost ? cost : null;
        }
    }

    private static Usage usage(Statement statement, String table, String columns, String sql) throws SQLException {
        List<List<Object>> usages = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery(sql)) {
            int count = rows.getMetaData().getColumnCount();
            while (rows.next()) {
                List<Object> row = new ArrayList<>();
                for (int i = 1; i <= count; i++) {
                    row.add(rows.getObject(i));
                }
                usages.add(row);
            }
        }
        return new Usage(table, columns, usages);
    }
}
