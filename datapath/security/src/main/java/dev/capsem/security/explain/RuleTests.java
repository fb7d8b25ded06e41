package dev.capsem.security.explain;

import dev.capsem.events.security.Evaluation;
import dev.capsem.security.RuleSnapshot;
import dev.capsem.security.SecurityEngine;
import dev.capsem.security.rule.Expectation;
import java.util.List;

/// Runs the expectations that stand beside rules.
public final class RuleTests {
    /// One expectation and what came out.
    public record Outcome(Expectation expectation, Evaluation actual) {
        public boolean isMet() {
            boolean sameRule =
                    expectation.rule().isEmpty() || expectation.rule().equals(actual.rule());
            return actual.decision() == expectation.decision() && sameRule;
        }

        @Override
        public String toString() {
            String got = actual.decision().wireName()
                    + actual.rule().map(rule -> " by " + rule).orElse("");
            String wanted = expectation.decision().wireName()
                    + expectation.rule().map(rule -> " by " + rule).orElse("");
            return expectation.place() + ": " + (isMet() ? "ok: " : "FAILED: ") + expectation.name()
                    + (isMet() ? "" : ": expected " + wanted + ", got " + got);
        }
    }

    private RuleTests() {}

    public static List<Outcome> run(RuleSnapshot snapshot) {
        SecurityEngine engine = new SecurityEngine(snapshot);
        return snapshot.expectations().stream()
                .map(expectation -> new Outcome(expectation, engine.evaluate(expectation.event())))
                .toList();
    }
}
