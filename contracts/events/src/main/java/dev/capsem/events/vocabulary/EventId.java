package dev.capsem.events.vocabulary;

/// The id of one resolved event, unique within a session.
public record EventId(String value) {
    public EventId {
        if (!TraceId.isValid(value)) {
            throw new IllegalArgumentException("not an event id: 1 to 128 of A-Z a-z 0-9 . _ : -");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
