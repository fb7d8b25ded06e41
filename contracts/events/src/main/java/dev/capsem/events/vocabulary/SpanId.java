package dev.capsem.events.vocabulary;

import java.util.regex.Pattern;

/// One step within a trace: 16 hex digits, as in W3C trace context.
public record SpanId(String value) {
    private static final Pattern VALID = Pattern.compile("[0-9a-f]{16}");

    public SpanId {
        if (!VALID.matcher(value).matches()) {
            throw new IllegalArgumentException("not a span id: 16 lower-case hex digits");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
