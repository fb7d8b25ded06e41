package dev.capsem.events.vocabulary;

import java.util.Locale;

/// The final outcome of an event.
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
}
