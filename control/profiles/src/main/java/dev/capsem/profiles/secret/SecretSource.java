package dev.capsem.profiles.secret;

import java.util.Optional;

/// Turns references into secrets. Asked only where a secret is about to be sent.
@FunctionalInterface
public interface SecretSource {
    /// Empty if there is no such secret.
    Optional<Secret> find(SecretRef ref);
}
