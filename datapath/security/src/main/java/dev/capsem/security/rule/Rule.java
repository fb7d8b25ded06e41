package dev.capsem.security.rule;

import dev.capsem.events.security.Decision;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.security.condition.Condition;
import dev.capsem.security.schema.Schema;
import dev.capsem.source.Layer;
import dev.capsem.source.Place;
import java.util.Comparator;
import java.util.Optional;

/// One rule, checked and ready to be asked.
///
/// @param rewrite present exactly if the decision is `REWRITE`
public record Rule(
        RuleId id,
        EventType on,
        Condition condition,
        Decision decision,
        int priority,
        Optional<String> reason,
        Optional<Rewrite> rewrite,
        Layer layer,
        Place place) {
    /// The order in which rules are asked: ascending priority, ties by id. Total, since ids are unique.
    public static final Comparator<Rule> ORDER =
            Comparator.comparingInt(Rule::priority).thenComparing(Rule::id);

    public Rule {
        if (rewrite.isPresent() != (decision == Decision.REWRITE)) {
            throw new IllegalArgumentException("exactly a rewrite rule has a rewrite");
        }
    }

    /// Whether it says anything about where an HTTP request leads.
    public boolean speaksOfAddresses() {
        return condition.facts().reads().stream().anyMatch(Schema.ADDRESS_FIELDS::contains);
    }

    /// Whether it reads or changes the text of a body.
    public boolean speaksOfBodies() {
        return condition.facts().reads().stream().anyMatch(Schema.BODY_FIELDS::contains)
                || rewrite.filter(Rewrite::changesBody).isPresent();
    }

    /// Whether it reads or changes what servers may understand differently.
    public boolean speaksOfUrls() {
        return condition.facts().reads().stream().anyMatch(Schema.URL_FIELDS::contains)
                || rewrite.filter(Rewrite::changesUrl).isPresent();
    }

    @Override
    public String toString() {
        return id + " (" + decision.wireName() + ", priority " + priority + ")";
    }
}
