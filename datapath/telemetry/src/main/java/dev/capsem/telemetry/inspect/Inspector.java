package dev.capsem.telemetry.inspect;

import dev.capsem.telemetry.Databases;
import dev.capsem.wire.json.Json;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sqlite.ProgressHandler;
import tools.jackson.databind.node.ArrayNode;

/// Asks one query of one database file, within limits.
///
/// Blocks its thread in native code for as long as the query runs: never call it on a virtual thread.
public final class Inspector {
    public static final int ROWS_MAX = 10_000;
    public static final Duration TIME_MAX = Duration.ofSeconds(5);
    /// Of all values together, as text.
    public static final int BYTES_MAX = 8 * 1_048_576;
    /// By how much this program may grow while a query sorts or collects; more and the query ends.
    public static final long GROWTH_BYTES_MAX = 256L * 1_048_576;

    /// Instructions between two looks at the clock. A row of a query takes about ten, and may make a value of
    /// a megabyte.
    private static final int INSTRUCTIONS_PER_LOOK = 200;

    /// Asking the kernel costs about ten microseconds; in a millisecond a query can fill about ten megabytes.
    private static final Duration MEMORY_LOOK_EVERY = Duration.ofMillis(1);

    /// The driver's prefix around SQLite's own message.
    private static final Pattern WRAPPED = Pattern.compile("\\[\\w+] .*?\\((.*)\\)", Pattern.DOTALL);

    private final LongSupplier nanoTime;
    private final LongSupplier residentBytes;

    /// @param nanoTime a clock that never goes back
    /// @param residentBytes how much memory this program has now
    public Inspector(LongSupplier nanoTime, LongSupplier residentBytes) {
        this.nanoTime = nanoTime;
        this.residentBytes = residentBytes;
    }

    /// Throws [TelemetryException] when there is no such database.
    public Inspection run(Path database, String sql) {
        if (sql.length() > Fence.SQL_BYTES_MAX) {
            return new Inspection.Refused("a query has at most " + Fence.SQL_BYTES_MAX + " characters");
        }
        Optional<String> refusal = SqlGate.refusal(sql);
        if (refusal.isPresent()) {
            return new Inspection.Refused(refusal.get());
        }
        Watch watch = new Watch();
        try (Connection connection = Databases.forReading(database)) {
            try (Statement statement = connection.createStatement()) {
                // Sorting goes to memory, which is watched, and not to files, which are not.
                statement.executeUpdate("PRAGMA temp_store = MEMORY");
            }
            Fence.around(connection);
            ProgressHandler.setHandler(connection, INSTRUCTIONS_PER_LOOK, watch);
            try (PreparedStatement query = connection.prepareStatement(sql)) {
                return ask(query);
            } finally {
                ProgressHandler.clearHandler(connection);
            }
        } catch (SQLException e) {
            String stopped = watch.stopped;
            return stopped != null ? new Inspection.Stopped(stopped) : new Inspection.Refused(words(e));
        }
    }

    private static Inspection ask(PreparedStatement query) throws SQLException {
        try (ResultSet result = query.executeQuery()) {
            ResultSetMetaData meta = result.getMetaData();
            List<String> columns = new ArrayList<>();
            for (int i = 1; i <= meta.getColumnCount(); i++) {
                columns.add(meta.getColumnLabel(i));
            }
            ArrayNode rows = Json.array();
            long bytes = 0;
            while (result.next()) {
                if (rows.size() == ROWS_MAX || bytes > BYTES_MAX) {
                    return new Inspection.Rows(columns, rows, true);
                }
                ArrayNode row = rows.addArray();
                for (int i = 1; i <= columns.size(); i++) {
                    bytes += add(row, result.getObject(i));
                }
            }
            return new Inspection.Rows(columns, rows, false);
        }
    }

    /// About how many bytes it takes in the answer.
    private static long add(ArrayNode row, @Nullable Object value) {
        switch (value) {
            case null -> row.addNull();
            case String text -> {
                row.add(text);
                return text.length();
            }
            case Integer number -> row.add(number);
            case Long number -> row.add(number);
            case Double number -> {
                if (Double.isFinite(number)) {
                    row.add(number);
                } else {
                    row.addNull();
                }
            }
            case byte[] bytes -> {
                row.add(bytes);
                return bytes.length * 2L;
            }
            default -> throw new IllegalStateException("SQLite has no such type");
        }
        return Long.BYTES;
    }

    private static String words(SQLException e) {
        String message = String.valueOf(e.getMessage());
        Matcher wrapped = WRAPPED.matcher(message);
        return wrapped.matches() ? wrapped.group(1) : message;
    }

    /// Looked at by SQLite while it works.
    private final class Watch extends ProgressHandler {
        private final long end = nanoTime.getAsLong() + TIME_MAX.toNanos();
        private final long residentMax = residentBytes.getAsLong() + GROWTH_BYTES_MAX;
        private long memoryLookAt = nanoTime.getAsLong();
        private @Nullable String stopped;

        @Override
        protected int progress() {
            long now = nanoTime.getAsLong();
            if (now - end > 0) {
                stopped = "query timed out after " + TIME_MAX.toSeconds() + " seconds";
            } else if (now - memoryLookAt > 0) {
                memoryLookAt = now + MEMORY_LOOK_EVERY.toNanos();
                if (residentBytes.getAsLong() > residentMax) {
                    stopped = "query needs more memory than " + GROWTH_BYTES_MAX / 1_048_576 + " MB";
                }
            }
            return stopped == null ? 0 : 1;
        }
    }
}
