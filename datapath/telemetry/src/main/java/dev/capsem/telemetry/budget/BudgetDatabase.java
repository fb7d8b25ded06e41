package dev.capsem.telemetry.budget;

import dev.capsem.telemetry.Databases;
import dev.capsem.telemetry.TelemetryException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// The file of the budgets. What [#write] was told survives the end of this process and of the machine. Not safe for
/// many threads.
public final class BudgetDatabase implements AutoCloseable {
    private static final List<String> SCHEMA = List.of(
            "PRAGMA synchronous = FULL",
            "CREATE TABLE IF NOT EXISTS accounts (key TEXT PRIMARY KEY, window_start_ms INTEGER NOT NULL,"
                    + " spent INTEGER NOT NULL, raised INTEGER NOT NULL, unpriced_tokens INTEGER NOT NULL,"
                    + " warning TEXT NOT NULL) STRICT, WITHOUT ROWID",
            "CREATE TABLE IF NOT EXISTS held (reservation TEXT NOT NULL, account TEXT NOT NULL,"
                    + " window_start_ms INTEGER NOT NULL, amount INTEGER NOT NULL, unpriced_tokens INTEGER NOT NULL,"
                    + " PRIMARY KEY (reservation, account)) STRICT, WITHOUT ROWID");

    private final Connection connection;

    /// @param warning how far people were warned
    public record AccountRow(
            String key, long windowStartMillis, long spent, long raised, long unpricedTokens, String warning) {}

    /// A part of what is set aside for one call.
    public record HeldRow(
            String reservation, String account, long windowStartMillis, long amount, long unpricedTokens) {}

    /// All that is on file.
    public record Content(List<AccountRow> accounts, List<HeldRow> held) {
        public Content {
            accounts = List.copyOf(accounts);
            held = List.copyOf(held);
        }
    }

    private BudgetDatabase(Connection connection) {
        this.connection = connection;
    }

    /// Throws [TelemetryException] if it cannot be opened.
    public static BudgetDatabase open(Path file) {
        Connection connection = Databases.forWriting(file);
        try (Statement statement = connection.createStatement()) {
            for (String line : SCHEMA) {
                statement.executeUpdate(line);
            }
            return new BudgetDatabase(connection);
        } catch (SQLException e) {
            throw failed(TelemetryException.Code.OPEN_FAILED, "cannot open " + file.getFileName(), e);
        }
    }

    private static TelemetryException failed(TelemetryException.Code code, String what, SQLException because) {
        return new TelemetryException(
                code, what, "check that it is a database of budgets and that the disk has space", because);
    }

    public Content read() {
        try (Statement statement = connection.createStatement()) {
            List<AccountRow> accounts = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery(
                    "SELECT key, window_start_ms, spent, raised, unpriced_tokens, warning FROM accounts")) {
                while (rows.next()) {
                    accounts.add(new AccountRow(
                            rows.getString(1),
                            rows.getLong(2),
                            rows.getLong(3),
                            rows.getLong(4),
                            rows.getLong(5),
                            rows.getString(6)));
                }
            }
            List<HeldRow> held = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery(
                    "SELECT reservation, account, window_start_ms, amount, unpriced_tokens FROM held")) {
                while (rows.next()) {
                    held.add(new HeldRow(
                            rows.getString(1), rows.getString(2), rows.getLong(3), rows.getLong(4), rows.getLong(5)));
                }
            }
            return new Content(accounts, held);
        } catch (SQLException e) {
            throw failed(TelemetryException.Code.QUERY_FAILED, "budgets.db cannot be read", e);
        }
    }

    /// All of it, or nothing: then it throws [TelemetryException].
    ///
    /// @param ended reservations of which nothing is set aside any more
    /// @param forgotten keys of accounts that nobody adds to any more
    public void write(
            Collection<AccountRow> accounts,
            Collection<HeldRow> held,
            Collection<String> ended,
            Collection<String> forgotten) {
        try {
            connection.setAutoCommit(false);
            try {
                writeAccounts(accounts);
                writeHeld(held, ended);
                forget(forgotten);
                connection.commit();
            } catch (SQLException e) {
                connection.rollback();
                throw e;
            } finally {
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw failed(TelemetryException.Code.NOT_FLUSHED, "budgets.db cannot be written", e);
        }
    }

    private void writeAccounts(Collection<AccountRow> accounts) throws SQLException {
        try (PreparedStatement put = connection.prepareStatement("INSERT OR REPLACE INTO accounts"
                + " (key, window_start_ms, spent, raised, unpriced_tokens, warning) VALUES (?, ?, ?, ?, ?, ?)")) {
            for (AccountRow account : accounts) {
                put.setString(1, account.key());
                put.setLong(2, account.windowStartMillis());
                put.setLong(3, account.spent());
                put.setLong(4, account.raised());
                put.setLong(5, account.unpricedTokens());
                put.setString(6, account.warning());
                put.executeUpdate();
            }
        }
    }

    private void writeHeld(Collection<HeldRow> held, Collection<String> ended) throws SQLException {
        try (PreparedStatement cut = connection.prepareStatement("DELETE FROM held WHERE reservation = ?");
                PreparedStatement put = connection.prepareStatement("INSERT OR REPLACE INTO held"
                        + " (reservation, account, window_start_ms, amount, unpriced_tokens) VALUES (?, ?, ?, ?, ?)")) {
            for (String id : ended) {
                cut.setString(1, id);
                cut.executeUpdate();
            }
            for (HeldRow row : held) {
                put.setString(1, row.reservation());
                put.setString(2, row.account());
                put.setLong(3, row.windowStartMillis());
                put.setLong(4, row.amount());
                put.setLong(5, row.unpricedTokens());
                put.executeUpdate();
            }
        }
    }

    private void forget(Collection<String> accounts) throws SQLException {
        try (PreparedStatement cut = connection.prepareStatement("DELETE FROM accounts WHERE key = ?")) {
            for (String key : accounts) {
                cut.setString(1, key);
                cut.executeUpdate();
            }
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw failed(TelemetryException.Code.NOT_FLUSHED, "budgets.db cannot be closed", e);
        }
    }
}
