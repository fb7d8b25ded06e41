package dev.capsem.backends.upstream;

import dev.capsem.wire.jsonrpc.JsonRpcError;
import java.util.Optional;

/// A server could not do what was asked. The message is for people; it never holds what the server sent, except the
/// error that it answered with.
public final class UpstreamException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Kind kind;
    private final transient Optional<JsonRpcError> error;

    /// The consequence of the failure.
    enum Kind {
        /// The server is there and said no.
        REFUSED,
        /// The way to the server is broken; it may work again later.
        BROKEN,
        /// No answer in time; what becomes of it is as with a broken way.
        LATE,
        /// The server no longer knows our session; nothing was done.
        SESSION_EXPIRED,
        /// The server wants other credentials; trying again changes nothing.
        UNAUTHORIZED
    }

    private UpstreamException(Kind kind, String message, Optional<JsonRpcError> error) {
        super(message);
        this.kind = kind;
        this.error = error;
    }

    static UpstreamException refused(JsonRpcError error) {
        return new UpstreamException(Kind.REFUSED, error.message(), Optional.of(error));
    }

    public static UpstreamException broken(String message) {
        return new UpstreamException(Kind.BROKEN, message, Optional.empty());
    }

    static UpstreamException of(Kind kind, String message) {
        return new UpstreamException(kind, message, Optional.empty());
    }

    Kind kind() {
        return kind;
    }

    /// The server's own words, if it had any.
    public Optional<JsonRpcError> error() {
        return error;
    }

    public String reason() {
        return String.valueOf(getMessage());
    }
}
