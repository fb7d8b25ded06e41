package dev.capsem.events.vocabulary;

import java.util.Locale;

/// Where the event began. `TEST_FIXTURE` marks made-up events, so that they never pass for evidence.
public enum OriginKind implements WireNamed {
    GUEST_NETWORK,
    HOST_SERVICE,
    HOST_ADMIN,
    HOST_WORKBENCH,
    TEST_FIXTURE,
    UNKNOWN;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    @Override
    public String wireName() {
        return wireName;
    }
}
