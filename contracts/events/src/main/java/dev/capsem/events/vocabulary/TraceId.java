package dev.capsem.events.vocabulary;

/// Ties together everything that one cause led to: a model call, the tool it asked for, the request the tool made.
/// Our own are 32 hex digits as in W3C trace context; a caller may bring another form.
public record TraceId(String value) {
    private static final int LENGTH_MAX = 128;

    public TraceId {
        if (!isValid(value)) {
            throw new IllegalArgumentException("not a trace id: 1 to 128 of A-Z a-z 0-9 . _ : -");
        }
    }

    public static boolean isValid(String text) {
        // By hand, not by a pattern or a stream: every event of every exchange has one.
        for (int i = 0; i < text.length(); i++) {
            if (!isAllowed(text.charAt(i))) {
                return false;
            }
        }
        return !text.isEmpty() && text.length() <= LENGTH_MAX;
    }

    private static boolean isAllowed(char c) {
        return (c >= '0' && c <= '9')
                || (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || c == '.'
                || c == '_'
                || c == ':'
                || c == '-';
    }

    @Override
    public String toString() {
        return value;
    }
}
