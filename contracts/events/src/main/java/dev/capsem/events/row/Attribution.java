package dev.capsem.events.row;

import dev.capsem.events.vocabulary.AttributionScope;
import dev.capsem.events.vocabulary.OriginKind;
import java.util.Optional;

/// Whose event it is. The same for almost all events of a session, so build it once.
public record Attribution(
        AttributionScope scope,
        OriginKind originKind,
        Optional<String> accountingOwner,
        Optional<String> sandboxId,
        Optional<String> sessionId,
        Optional<String> profileId,
        Optional<String> profileRevision,
        Optional<String> userId) {
    public static final Attribution UNKNOWN = new Attribution(
            AttributionScope.UNKNOWN,
            OriginKind.UNKNOWN,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());

    public Attribution withOrigin(OriginKind origin) {
        return new Attribution(
                scope, origin, accountingOwner, sandboxId, sessionId, profileId, profileRevision, userId);
    }

    /// Decided by the rules of that profile.
    public Attribution withRevision(String revision) {
        return new Attribution(
                scope, originKind, accountingOwner, sandboxId, sessionId, profileId, Optional.of(revision), userId);
    }
}
