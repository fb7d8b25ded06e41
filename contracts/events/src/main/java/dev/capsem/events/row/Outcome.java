package dev.capsem.events.row;

import dev.capsem.events.vocabulary.WireNamed;
import java.util.Locale;

/// The `decision` column of network rows: what happened to the request, in one word. The rule's own decision is
/// in [PolicyOutcome].
public enum Outcome implements WireNamed {
    ALLOWED,
    DENIED,
    /// DNS only: answered with an address of our own.
    REDIRECTED,
    ERROR;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    @Override
    public String wireName() {
        return wireName;
    }
}
