package dev.capsem.events.vocabulary;

import java.util.Locale;

/// The subject of an event.
public enum EventFamily implements WireNamed {
    DNS,
    HTTP,
    MCP,
    MODEL,
    FILE,
    PROCESS,
    CREDENTIAL,
    VM,
    PROFILE,
    CONVERSATION,
    SNAPSHOT;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    @Override
    public String wireName() {
        return wireName;
    }
}
