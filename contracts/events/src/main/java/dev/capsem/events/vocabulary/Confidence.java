package dev.capsem.events.vocabulary;

import java.util.Locale;

/// How likely a finding is true; also how sure a parser is of what it read.
public enum Confidence implements WireNamed {
    LOW,
    MEDIUM,
    HIGH;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    @Override
    public String wireName() {
        return wireName;
    }
}
