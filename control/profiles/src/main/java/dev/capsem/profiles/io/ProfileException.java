package dev.capsem.profiles.io;

/// The file system did not do what profiles need. Messages never hold secrets.
public final class ProfileException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /// The kind of failure, for callers that must tell the cases apart.
    public enum Code {
        UNREADABLE,
        UNWRITABLE,
        UNSAFE_PERMISSIONS,
        DAMAGED
    }

    private final Code code;

    ProfileException(Code code, String message) {
        super(message);
        this.code = code;
    }

    ProfileException(Code code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    public Code code() {
        return code;
    }
}
