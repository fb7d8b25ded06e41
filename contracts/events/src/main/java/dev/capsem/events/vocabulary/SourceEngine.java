package dev.capsem.events.vocabulary;

import java.util.Locale;

/// The part of Capsem that saw the event.
public enum SourceEngine implements WireNamed {
    NETWORK,
    FILE,
    PROCESS,
    CONVERSATION,
    SECURITY,
    VM,
    PROFILE,
    HOST_AI;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    @Override
    public String wireName() {
        return wireName;
    }
}
