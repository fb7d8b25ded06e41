package dev.capsem.telemetry;

import dev.capsem.events.EventShapes;
import dev.capsem.events.row.GrantUse;
import dev.capsem.events.row.RowShape;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/// The tables of session.db.
public final class SessionSchema {
    /// `PRAGMA user_version` of a database made from this schema. Opening one of this version runs no DDL.
    public static final int VERSION = 1;

    /// Tables that came after the first release.
    static final List<String> ADDED_TABLES = List.of(GrantUse.SHAPE.table());

    private static final String RESOURCE = "session-schema.sql";

    private SessionSchema() {}

    /// The schema as SQL, with the comments that explain it.
    public static String sql() {
        return resource(RESOURCE);
    }

    static String resource(String name) {
        try (InputStream in = SessionSchema.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("resource " + name + " is missing from the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Makes the tables in a new database; leaves one of the right version alone.
    public static void install(Connection connection) throws SQLException {
        install(connection, VERSION, RESOURCE);
        addMissingTables(connection);
        addMissingColumns(connection);
    }

    /// Whether a database has this table: one from before may lack it until a sandbox writes to it again.
    public static boolean has(Connection connection, String table) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")) {
            statement.setString(1, table);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    /// Older programs read and write on beside them.
    private static void addMissingTables(Connection connection) throws SQLException {
        for (String table : ADDED_TABLES) {
            if (!has(connection, table)) {
                try (Statement statement = connection.createStatement()) {
                    statement.executeUpdate(definition(table));
                }
            }
        }
    }

    private static String definition(String table) {
        String sql = sql();
        int start = sql.indexOf("CREATE TABLE " + table + " (");
        int end = sql.indexOf("\n\n", start);
        return sql.substring(start, end);
    }

    /// Columns that came after the first release, each of them nullable: older programs read and write on without them.
    private static void addMissingColumns(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (RowShape shape : EventShapes.ALL) {
                for (String column : shape.added()) {
                    addColumn(statement, shape.table(), column);
                }
            }
        }
    }

    private static void addColumn(Statement statement, String table, String column) throws SQLException {
        boolean isThere;
        try (ResultSet row = statement.executeQuery(
                "SELECT count(*) FROM pragma_table_info('" + table + "') WHERE name = '" + column + "'")) {
            isThere = row.next() && row.getInt(1) > 0;
        }
        if (!isThere) {
            statement.executeUpdate("ALTER TABLE " + table + " ADD COLUMN " + column + " TEXT");
        }
    }

    public static void install(Connection connection, int version, String resource) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (versionOf(statement) == version) {
                return;
            }
            // Two processes may open a new main.db at once: look again under the lock.
            statement.executeUpdate("BEGIN IMMEDIATE");
            try {
                int found = versionOf(statement);
                if (found == 0) {
                    statement.executeUpdate(resource(resource));
                    statement.executeUpdate("PRAGMA user_version = " + version);
                } else if (found != version) {
                    throw new TelemetryException(
                            TelemetryException.Code.UNSUPPORTED_SCHEMA,
                            "the database has schema version " + found + ", this program knows " + version,
                            "open it with the program that made it, or move the file away");
                }
                statement.executeUpdate("COMMIT");
            } catch (SQLException | RuntimeException e) {
                statement.executeUpdate("ROLLBACK");
                throw e;
            }
        }
    }

    private static int versionOf(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("PRAGMA user_version")) {
            return row.next() ? row.getInt(1) : 0;
        }
    }
}
