package dev.capsem.profiles.grant;

import dev.capsem.profiles.secret.Secret;
import java.time.Instant;
import java.util.Optional;

/// Fetches the values of grants from where they are. May take as long as its slowest source allows.
@FunctionalInterface
public interface GrantValues {
    /// Never throws.
    Fetched fetch(GrantSource source);

    /// What came of it.
    sealed interface Fetched {
        /// @param expires when it must be fetched again; empty = it may be kept until the next reload
        record Value(Secret secret, Optional<Instant> expires) implements Fetched {}

        /// @param reason as people read it; holds nothing of the value
        record Missing(String reason) implements Fetched {}
    }
}
