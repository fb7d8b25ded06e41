package dev.capsem.events.vocabulary;

import java.util.regex.Pattern;

/// Ties together everything that one cause led to: a model call, the tool it asked for, the request the tool made.
/// Our own are 32 hex digits as in W3C trace context; a caller may bring another form.
public record TraceId(String value) {
    private static final Pattern VALID = Pattern.compile("[A-Za-z0-9._:-]{1,128}");

    public TraceId {
        if (!isValid(value)) {
            throw new IllegalArgumentException("not a trace id: 1 to 128 of A-Z a-z 0-9 . _ : -");
        }
    }

    public static boolean isValid(String text) {
        return VALID.matcher(text).matches();
    }

    @Override
    public String toString() {
        return value;
    }
}
