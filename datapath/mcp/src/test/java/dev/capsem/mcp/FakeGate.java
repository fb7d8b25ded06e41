package dev.capsem.mcp;

import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Mutation;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityGate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/// Allows everything except what a test says, and remembers what it was asked.
final class FakeGate implements SecurityGate {
    final List<SecurityEvent> seen = new CopyOnWriteArrayList<>();
    private volatile Function<SecurityEvent, Optional<Evaluation>> rule = event -> Optional.empty();

    void decide(Function<SecurityEvent, Optional<Evaluation>> newRule) {
        rule = newRule;
    }

    @Override
    public Evaluation evaluate(SecurityEvent event) {
        seen.add(event);
        return rule.apply(event).orElseGet(() -> of(new Evaluation.Allowed(), "allow_all"));
    }

    @Override
    public boolean needsBody(SecurityEvent event) {
        return false;
    }

    static Evaluation blocked(String rule) {
        return of(new Evaluation.Blocked(BlockCause.RULE), rule);
    }

    static Evaluation asked(String rule) {
        return of(new Evaluation.Asked(), rule);
    }

    static Evaluation rewritten(SecurityEvent changed, String rule) {
        return of(new Evaluation.Rewritten(changed, List.of(new Mutation.TextReplaced("mcp.request.arguments"))), rule);
    }

    private static Evaluation of(Evaluation.Outcome outcome, String rule) {
        return new Evaluation(
                outcome, Optional.of(RuleId.of("mcp", rule)), Optional.of("because of " + rule), List.of(), List.of());
    }
}
