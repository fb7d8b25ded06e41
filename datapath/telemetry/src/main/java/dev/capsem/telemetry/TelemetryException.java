package dev.capsem.telemetry;

/// A database could not be used. Never carries what the database holds.
public final class TelemetryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /// The kind of failure.
    public enum Code {
        /// The file cannot be opened, or is not a database.
        OPEN_FAILED,
        /// The file was made by another version.
        UNSUPPORTED_SCHEMA,
        /// A question could not be answered.
        QUERY_FAILED,
        /// The writer could not do what it was asked in time.
        NOT_FLUSHED,
        /// The directory could not be moved; the database stays where it was.
        NOT_RELOCATED,
        /// The writer has been closed.
        CLOSED
    }

    private final Code code;

    public TelemetryException(Code code, String cause, String remedy) {
        super(cause + "; " + remedy);
        this.code = code;
    }

    public TelemetryException(Code code, String cause, String remedy, Exception because) {
        super(cause + "; " + remedy, because);
        this.code = code;
    }

    public Code code() {
        return code;
    }
}
