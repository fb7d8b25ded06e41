package dev.capsem.events.vocabulary;

import java.util.Locale;

/// How bad a finding would be if it is true.
public enum Severity implements WireNamed {
    INFO,
    LOW,
    MEDIUM,
    HIGH,
    CRITICAL;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    @Override
    public String wireName() {
        return wireName;
    }
}
