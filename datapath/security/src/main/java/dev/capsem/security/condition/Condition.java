package dev.capsem.security.condition;

import dev.capsem.security.schema.Field;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// A compiled condition. Immutable and safe for many threads; each evaluation brings its own [Frame].
public final class Condition {
    private final String text;
    private final Node node;
    private final List<Term> terms;
    private final Facts facts;

    /// Facts that the compiler learned on the way.
    ///
    /// @param reads every field that is read
    /// @param keys if present, the condition can only match an event that has one of these
    /// @param escapes fields that make the condition false when left out, though an unusual value would make
    ///     it true
    /// @param meters what it counts
    /// @param restsOnCaller whether a guest that forges its caller can meet it with any event
    public record Facts(
            Set<Field> reads, Optional<List<Key>> keys, Set<String> escapes, Set<Meter> meters, boolean restsOnCaller) {
        public Facts {
            reads = Set.copyOf(reads);
            keys = keys.map(List::copyOf);
            escapes = Set.copyOf(escapes);
            meters = Set.copyOf(meters);
        }
    }

    public Condition(String text, Node node, List<Term> terms, Facts facts) {
        this.text = text;
        this.node = node;
        this.terms = List.copyOf(terms);
        this.facts = facts;
    }

    /// Throws [EvaluationFailure] if it cannot be evaluated.
    public Match match(Frame frame) {
        frame.startRule();
        return Match.of(node.truth(frame));
    }

    public String text() {
        return text;
    }

    public List<Term> terms() {
        return terms;
    }

    public Facts facts() {
        return facts;
    }

    /// Whether it is `true` and nothing else.
    public boolean isAlways() {
        return terms.size() == 1 && terms.get(0).text().equals("true");
    }

    /// Whether it is `false` and nothing else.
    public boolean isNever() {
        return terms.size() == 1 && terms.get(0).text().equals("false");
    }

    @Override
    public String toString() {
        return text;
    }
}
