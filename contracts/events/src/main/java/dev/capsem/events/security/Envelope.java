package dev.capsem.events.security;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.ClaimedCaller;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.Enforceability;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.events.vocabulary.RedactionState;
import java.time.Instant;

/// The common part of all events. The guest chooses none of it but the caller.
public record Envelope(
        EventId id,
        Instant at,
        Attribution attribution,
        Correlation correlation,
        Enforceability enforceability,
        RedactionState redactionState,
        ClaimedCaller caller) {
    public Envelope(
            EventId id,
            Instant at,
            Attribution attribution,
            Correlation correlation,
            Enforceability enforceability,
            RedactionState redactionState) {
        this(id, at, attribution, correlation, enforceability, redactionState, ClaimedCaller.UNKNOWN);
    }

    /// Something that had already happened when we saw it.
    public static Envelope observed(EventId id, Instant at, Attribution attribution, Correlation correlation) {
        return new Envelope(id, at, attribution, correlation, Enforceability.OBSERVE_ONLY, RedactionState.RAW);
    }

    public Envelope withCorrelation(Correlation changed) {
        return new Envelope(id, at, attribution, changed, enforceability, redactionState, caller);
    }

    public Envelope withCaller(ClaimedCaller claimed) {
        return new Envelope(id, at, attribution, correlation, enforceability, redactionState, claimed);
    }

    /// An event that waits for our word, with all its values.
    public static Envelope inline(EventId id, Instant at, Attribution attribution, Correlation correlation) {
        return new Envelope(id, at, attribution, correlation, Enforceability.INLINE_BLOCKABLE, RedactionState.RAW);
    }
}
