package dev.capsem.security;

import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.RuleId;
import java.util.Optional;

/// How often a rule decided, since it has been what it is.
///
/// @param last the newest event it decided
public record RuleStat(RuleId id, long matches, Optional<Envelope> last) {}
