package dev.capsem.security.explain;

import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.RuleId;
import dev.capsem.security.condition.Match;
import dev.capsem.security.rule.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Why an event was decided as it was.
///
/// @param decider the rule that decided, if one did
/// @param nearMisses rules that only one term kept from matching, in the order asked
/// @param alsoMatching rules behind the decider that match as well and were not asked
/// @param uncounted rules that match but do not count, since the request leads to an address that is not public and
///     they say nothing of addresses
/// @param remedy how to allow it; absent if it is allowed
public record DecisionExplanation(
        Evaluation evaluation,
        Optional<Rule> decider,
        List<NearMiss> nearMisses,
        List<RuleId> alsoMatching,
        List<RuleId> uncounted,
        Optional<Remedy> remedy) {
    /// A rule that almost matched.
    ///
    /// @param term the part that did not hold
    /// @param isFirst whether it would have decided: it stands before the decider
    /// @param seen the values that the term read, where they may be shown
    public record NearMiss(Rule rule, String term, Match match, boolean isFirst, List<String> seen) {
        public NearMiss {
            seen = List.copyOf(seen);
        }
    }

    /// A rule that would let the event pass.
    public sealed interface Remedy {
        /// A rule that was tried on the event and allows it, by its name as well as by its address.
        record AddRule(RuleId id, String toml, String condition) implements Remedy {}

        /// Nothing a user may write allows it.
        record NotYours(String reason) implements Remedy {}
    }

    public DecisionExplanation {
        nearMisses = List.copyOf(nearMisses);
        alsoMatching = List.copyOf(alsoMatching);
        uncounted = List.copyOf(uncounted);
    }

    /// For a terminal.
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        String reason = evaluation.reason().map(text -> ": " + text).orElse("");
        lines.add(evaluation.decision().wireName() + " by "
                + decider.map(rule -> rule + " at " + rule.place() + reason).orElse("the engine" + reason));
        decider.ifPresent(rule -> lines.add("  if " + rule.condition().text()));
        for (NearMiss miss : nearMisses) {
            lines.add("almost: " + miss.rule() + " at " + miss.rule().place());
            lines.add(
                    "  but " + miss.term() + (miss.match() == Match.MISSING ? " reads a missing value" : " is not true")
                            + (miss.seen().isEmpty() ? "" : " (" + String.join(", ", miss.seen()) + ")"));
        }
        uncounted.forEach(
                id -> lines.add("matches but does not count: " + id + " says nothing of http.request.address_class"));
        alsoMatching.forEach(id -> lines.add("would match too, if asked: " + id));
        remedy.ifPresent(answer -> {
            switch (answer) {
                case Remedy.AddRule add -> {
                    lines.add("to allow it, add:");
                    add.toml().lines().forEach(line -> lines.add("  " + line));
                }
                case Remedy.NotYours not -> lines.add("it cannot be allowed here: " + not.reason());
            }
        });
        return lines;
    }
}
