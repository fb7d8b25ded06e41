package dev.capsem.telemetry;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConfig.JournalMode;
import org.sqlite.SQLiteConfig.SynchronousMode;
import org.sqlite.SQLiteConfig.TempStore;
import org.sqlite.SQLiteOpenMode;

/// Opens database files, each the way its use needs. Connections are made without `DriverManager`, whose search for
/// drivers costs start-up time.
public final class Databases {
    /// How long a statement waits for another process's lock.
    private static final Duration BUSY_WAIT = Duration.ofSeconds(5);
    /// 8 MiB; SQLite takes it as needed, so an idle sandbox pays nothing.
    private static final int CACHE_KIB = 8 * 1024;
    /// 16 MiB of log between checkpoints: four times the default, as each costs two fsyncs.
    private static final int CHECKPOINT_PAGES = 4_096;

    private Databases() {}

    /// For the one writer of the file; makes it, readable by its owner only, if it is not there.
    public static Connection forWriting(Path file) {
        try {
            createPrivately(file);
            SQLiteConfig config = new SQLiteConfig();
            config.setOpenMode(SQLiteOpenMode.NOMUTEX); // One thread at a time uses it: see the callers.
            config.setJournalMode(JournalMode.WAL);
            config.setSynchronous(SynchronousMode.NORMAL);
            config.setBusyTimeout(Math.toIntExact(BUSY_WAIT.toMillis()));
            config.setCacheSize(-CACHE_KIB);
            config.setTempStore(TempStore.MEMORY);
            config.setPragma(SQLiteConfig.Pragma.FOREIGN_KEYS, "on");
            config.setGetGeneratedKeys(false); // Nobody asks; the driver would run a SELECT after every insert.
            Connection connection = config.createConnection("jdbc:sqlite:" + file);
            try (var statement = connection.createStatement()) {
                statement.executeUpdate("PRAGMA wal_autocheckpoint = " + CHECKPOINT_PAGES);
            }
            return connection;
        } catch (SQLException | IOException e) {
            throw openFailed(file, e);
        }
    }

    /// For anyone else: cannot change the file, and runs no code that a schema brought along.
    public static Connection forReading(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new TelemetryException(
                    TelemetryException.Code.OPEN_FAILED,
                    file.getFileName() + " does not exist",
                    "nothing was recorded for this sandbox, or its directory was removed");
        }
        try {
            SQLiteConfig config = new SQLiteConfig();
            config.setReadOnly(true);
            config.resetOpenMode(SQLiteOpenMode.CREATE);
            config.setBusyTimeout(Math.toIntExact(BUSY_WAIT.toMillis()));
            Connection connection = config.createConnection("jdbc:sqlite:" + file);
            try (var statement = connection.createStatement()) {
                statement.executeUpdate("PRAGMA query_only = 1");
                statement.executeUpdate("PRAGMA trusted_schema = 0");
            }
            return connection;
        } catch (SQLException e) {
            throw openFailed(file, e);
        }
    }

    private static void createPrivately(Path file) throws IOException {
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } catch (FileAlreadyExistsException e) {
            // Reopening is the usual case; its permissions are the owner's business.
        }
    }

    private static TelemetryException openFailed(Path file, Exception because) {
        return new TelemetryException(
                TelemetryException.Code.OPEN_FAILED,
                "cannot open " + file.getFileName(),
                "check that its directory exists, is yours and has space",
                because);
    }
}
