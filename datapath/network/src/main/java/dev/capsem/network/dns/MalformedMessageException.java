package dev.capsem.network.dns;

/// Ends the reading of a message inside this package; the entry points of the codec turn it into a value.
final class MalformedMessageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MalformedMessageException(String reason) {
        // Hostile bytes come by the million; a stack trace would tell nothing and cost much.
        super(reason, null, false, false);
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
