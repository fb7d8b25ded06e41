package dev.capsem.events.vocabulary;

import java.util.Locale;

/// How precisely we know whose event this is.
public enum AttributionScope implements WireNamed {
    HOST,
    VM,
    PROFILE,
    SESSION,
    UNKNOWN;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    @Override
    public String wireName() {
        return wireName;
    }
}
