package dev.capsem.security;

import dev.capsem.events.security.Envelope;
import java.util.Optional;

/// How often a detection found something, since it has been what it is.
///
/// @param last the newest event it found
public record DetectionStat(String id, String packId, long matches, Optional<Envelope> last) {}
