package dev.capsem.telemetry.write;

import java.sql.SQLException;
import org.sqlite.SQLiteErrorCode;

/// Tells a row that can never be stored from a disk that may recover.
final class SqliteFailure {
    private static final int PRIMARY_CODE_MASK = 0xFF;

    static final WriterStatus.Problem DISK_FULL = new WriterStatus.Problem(
            SQLiteErrorCode.SQLITE_FULL.name(),
            "the disk is full",
            "free space on the disk of the sandboxes: capsem list, then capsem delete NAME");

    private SqliteFailure() {}

    /// Whether the values are to blame, so that trying again is useless.
    static boolean isRowsFault(SQLException failure) {
        return switch (code(failure)) {
            case SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_TOOBIG, SQLITE_RANGE -> true;
            default -> false;
        };
    }

    static SQLiteErrorCode code(SQLException failure) {
        return SQLiteErrorCode.getErrorCode(failure.getErrorCode() & PRIMARY_CODE_MASK);
    }

    /// Whether what is missing is space, or may be: of the log's index SQLite only says that it cannot be written.
    static boolean mayLackSpace(SQLException failure) {
        SQLiteErrorCode code = code(failure);
        return code == SQLiteErrorCode.SQLITE_FULL || code == SQLiteErrorCode.SQLITE_IOERR;
    }

    /// @param isSizeLimit whether it is the file's own limit that was reached
    static WriterStatus.Problem problem(SQLException failure, boolean isSizeLimit) {
        SQLiteErrorCode code = code(failure);
        return switch (code) {
            case SQLITE_FULL ->
                isSizeLimit
                        ? new WriterStatus.Problem(
                                code.name(),
                                "session.db reached its size limit",
                                "go on in a new sandbox: capsem fork, or capsem create")
                        : DISK_FULL;
            case SQLITE_CORRUPT, SQLITE_NOTADB ->
                new WriterStatus.Problem(
                        code.name(), "session.db is damaged", "stop the sandbox and keep the file for inspection");
            default ->
                new WriterStatus.Problem(
                        code.name(),
                        "session.db cannot be written",
                        "check the disk and the permissions of its directory");
        };
    }
}
