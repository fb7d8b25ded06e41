package dev.capsem.policy.grammar;

import java.util.Locale;

/// Which notion of time the server needs, weakest first.
public enum ClockSource {
    NONE,
    SYSTEM,
    TZDATA;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
