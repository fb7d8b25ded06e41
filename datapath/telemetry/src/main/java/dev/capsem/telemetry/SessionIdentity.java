package dev.capsem.telemetry;

/// Whose session it is, as `session_identity` keeps it.
public record SessionIdentity(String sandboxId, String profileId, String userId) {}
