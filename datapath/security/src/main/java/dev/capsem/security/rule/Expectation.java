package dev.capsem.security.rule;

import dev.capsem.events.security.Decision;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.source.Place;
import java.util.Optional;

/// What the author of a rule file says must come out for an event, written beside the rules.
///
/// @param rule the rule that must decide, if the author named one
public record Expectation(String name, SecurityEvent event, Decision decision, Optional<RuleId> rule, Place place) {}
