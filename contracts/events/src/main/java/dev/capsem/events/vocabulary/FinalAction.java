package dev.capsem.events.vocabulary;

import java.util.Locale;

/// What became of the event in the end.
public enum FinalAction implements WireNamed {
    CONTINUE,
    ASK,
    REWRITE,
    BLOCK,
    THROTTLE,
    QUARANTINE,
    RESTORE,
    DROP_CONNECTION,
    OBSERVE_ONLY,
    ERROR;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    @Override
    public String wireName() {
        return wireName;
    }

    /// Whether a full queue may cost us this event. Everything in which Capsem interfered must be on record: only
    /// what passed untouched may be lost (and is then counted as a gap).
    public boolean isDroppable() {
        return this == CONTINUE || this == OBSERVE_ONLY;
    }
}
