package dev.capsem.security.explain;

import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.security.RuleCompiler;
import dev.capsem.security.RuleSnapshot;
import dev.capsem.security.SecurityEngine;
import dev.capsem.security.condition.EvaluationFailure;
import dev.capsem.security.condition.Frame;
import dev.capsem.security.condition.Match;
import dev.capsem.security.condition.Term;
import dev.capsem.security.explain.DecisionExplanation.NearMiss;
import dev.capsem.security.explain.DecisionExplanation.Remedy;
import dev.capsem.security.rule.Rule;
import dev.capsem.security.schema.Field;
import dev.capsem.security.schema.Unknown;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Explains decisions by asking every rule, term by term.
public final class Explainer {
    private static final int NEAR_MISSES_MAX = 5;

    /// Values longer than this are cut when shown.
    private static final int SHOWN_CHARS_MAX = 120;

    private final RuleCompiler compiler;

    public Explainer(RuleCompiler compiler) {
        this.compiler = compiler;
    }

    public DecisionExplanation explain(RuleSnapshot snapshot, SecurityEvent event) {
        return explain(snapshot, event, event);
    }

    /// @param further the same event, with what will be known of it later: a remedy must hold there as well
    public DecisionExplanation explain(RuleSnapshot snapshot, SecurityEvent event, SecurityEvent further) {
        Evaluation evaluation = new SecurityEngine(snapshot).evaluate(event);
        Optional<Rule> decider = evaluation.rule().flatMap(snapshot::rule);
        List<NearMiss> misses = new ArrayList<>();
        List<RuleId> also = new ArrayList<>();
        List<RuleId> uncounted = new ArrayList<>();
        boolean leadsInside = event instanceof SecurityEvent.HttpRequest request && request.leadsInside();
        boolean isFirst = true;
        for (Rule rule : snapshot.rules(event.type())) {
            if (decider.filter(rule::equals).isPresent()) {
                isFirst = false;
                continue;
            }
            Frame frame = new Frame(event);
            List<Term> failing = failing(rule, frame);
            if (failing.isEmpty() && leadsInside && rule.decision() != Decision.BLOCK && !rule.speaksOfAddresses()) {
                uncounted.add(rule.id());
            } else if (failing.isEmpty() && !isFirst) {
                also.add(rule.id());
            }
            if (failing.size() == 1 && rule.condition().terms().size() > 1 && misses.size() < NEAR_MISSES_MAX) {
                misses.add(miss(rule, failing.get(0), frame, isFirst));
            }
        }
        Optional<Remedy> remedy = evaluation.decision() == Decision.ALLOW
                ? Optional.empty()
                : Optional.of(new Remedies(compiler, snapshot).remedy(further, decider));
        return new DecisionExplanation(evaluation, decider, misses, also, uncounted, remedy);
    }

    private static List<Term> failing(Rule rule, Frame frame) {
        return rule.condition().terms().stream()
                .filter(term -> match(term, frame) != Match.YES)
                .toList();
    }

    private static Match match(Term term, Frame frame) {
        try {
            return term.match(frame);
        } catch (EvaluationFailure failure) {
            return Match.NO;
        }
    }

    private static NearMiss miss(Rule rule, Term term, Frame frame, boolean isFirst) {
        List<String> seen = new ArrayList<>();
        for (Field field : term.reads()) {
            Object value = frame.read(field);
            if (value == Unknown.MISSING) {
                seen.add(field.path() + " is missing");
            } else if (field.isShowable() && !(value instanceof Unknown)) {
                seen.add(field.path() + " is " + shown(value));
            }
        }
        return new NearMiss(rule, term.text(), match(term, frame), isFirst, seen);
    }

    /// A rule that would allow this event, tried on it.
    public Remedy remedy(RuleSnapshot snapshot, SecurityEvent event, Optional<RuleId> decider) {
        return new Remedies(compiler, snapshot).remedy(event, decider.flatMap(snapshot::rule));
    }

    private static String shown(Object value) {
        String text = value instanceof String string ? Quoting.cel(string) : String.valueOf(value);
        return text.length() > SHOWN_CHARS_MAX ? text.substring(0, SHOWN_CHARS_MAX) + "…" : text;
    }
}
