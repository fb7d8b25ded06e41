package dev.capsem.telemetry;

import java.sql.SQLException;
import org.sqlite.SQLiteErrorCode;

/// Tells a row that can never be stored from a disk that may recover.
final class SqliteFailure {
    private static final int PRIMARY_CODE_MASK = 0xFF;

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

    static WriterStatus.Problem problem(SQLException failure) {
        SQLiteErrorCode code = code(failure);
        return switch (code) {
            case SQLITE_FULL ->
                new WriterStatus.Problem(
                        code.name(),
                        "the disk is full, or session.db reached its size limit",
                        "free space on its disk");
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
