package dev.capsem.telemetry.inspect;

import dev.capsem.fuzz.Property;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.sqlite.ProgressHandler;

/// The gate against SQLite's own parser: behind a text that the gate lets through stands no second statement that
/// SQLite would run. The text is run as a script, with a PRAGMA behind it whose effect shows.
public final class SqlGateFuzz {
    private static final int INSTRUCTIONS_MAX = 2_000;
    private static final int CANARY = 4_321;
    private static final Connection DATABASE = open();

    private SqlGateFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        String text = new String(data, StandardCharsets.UTF_8);
        for (String candidate :
                new String[] {text, text + ";PRAGMA cache_size=" + CANARY, text + "PRAGMA cache_size=" + CANARY + ";"
                }) {
            if (SqlGate.refusal(candidate).isEmpty()) {
                Property.holds(!runsCanary(candidate), "the gate lets a second statement through");
            }
        }
    }

    private static boolean runsCanary(String script) {
        try (Statement statement = DATABASE.createStatement()) {
            try {
                statement.executeUpdate(script);
            } catch (SQLException notSql) {
                // What came before may have run all the same.
            }
            try (ResultSet size = statement.executeQuery("PRAGMA cache_size")) {
                return size.getInt(1) == CANARY;
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Connection open() {
        try {
            Connection connection = DriverManager.getConnection("jdbc:sqlite::memory:");
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("CREATE TABLE a(b, c); PRAGMA query_only=1");
            }
            Fence.around(connection);
            ProgressHandler.setHandler(connection, INSTRUCTIONS_MAX, new ProgressHandler() {
                @Override
                protected int progress() {
                    return 1;
                }
            });
            return connection;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
