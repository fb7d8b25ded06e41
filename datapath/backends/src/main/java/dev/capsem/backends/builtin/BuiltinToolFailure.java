package dev.capsem.backends.builtin;

/// A tool could not do it; the message says why and what would help.
final class BuiltinToolFailure extends Exception {
    private static final long serialVersionUID = 1L;

    BuiltinToolFailure(String message) {
        super(message, null, false, false);
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
