package dev.capsem.events.vocabulary;

import java.util.regex.Pattern;

/// The id of one resolved event, unique within a session.
public record EventId(String value) {
    private static final Pattern VALID = Pattern.compile("[A-Za-z0-9._:-]{1,128}");

    public EventId {
        if (!VALID.matcher(value).matches()) {
            throw new IllegalArgumentException("not an event id: 1 to 128 of A-Z a-z 0-9 . _ : -");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
