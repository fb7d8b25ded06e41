package dev.capsem.broker;

import java.util.Optional;

/// A grant with its stand-in and its value, as one sandbox has them.
///
/// @param value none if its source failed
/// @param missing why, in that case; says nothing of the value
public record Held(SecretGrant grant, Placeholder placeholder, Optional<SecretValue> value, Optional<String> missing) {
    public Held {
        if (value.isPresent() == missing.isPresent()) {
            throw new IllegalArgumentException("a grant has a value, or a reason why it has none");
        }
    }
}
