package dev.capsem.events.vocabulary;

import java.util.Locale;

/// Whether the event could still be stopped when it was judged.
public enum Enforceability implements WireNamed {
    INLINE_BLOCKABLE,
    OBSERVE_ONLY,
    REMEDIATION_ONLY;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    @Override
    public String wireName() {
        return wireName;
    }
}
