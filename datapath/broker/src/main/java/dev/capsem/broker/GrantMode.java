package dev.capsem.broker;

/// How a secret gets into a request.
public enum GrantMode {
    /// The sandbox holds a stand-in, which the door replaces where the grant names the place.
    PLACEHOLDER,
    /// The sandbox holds nothing; the door writes the one place that the grant names.
    SET
}
