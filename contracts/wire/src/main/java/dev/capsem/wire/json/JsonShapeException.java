package dev.capsem.wire.json;

/// JSON that does not have the shape its reader expects: the message says where, and what was expected there, never
/// the value.
public final class JsonShapeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public JsonShapeException(String message) {
        super(message);
    }

    /// Never null, unlike [#getMessage()].
    public String reason() {
        return String.valueOf(getMessage());
    }
}
