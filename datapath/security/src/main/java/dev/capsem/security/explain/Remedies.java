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
import dev.capsem.security.explain.DecisionExplanation.Remedy;
import dev.capsem.security.rule.Rule;
import dev.capsem.security.schema.Field;
import dev.capsem.source.Layer;
import dev.capsem.source.SourceText;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Looks for the rule of a user's that would let an event pass, and tries it before it is offered.
final class Remedies {
    /// More rules for one host than this are better written by hand.
    private static final int SAME_NAME_MAX = 100;

    private final RuleCompiler compiler;
    private final RuleSnapshot snapshot;

    Remedies(RuleCompiler compiler, RuleSnapshot snapshot) {
        this.compiler = compiler;
        this.snapshot = snapshot;
    }

    Remedy remedy(SecurityEvent event, Optional<Rule> decider) {
        List<SecurityEvent> judged = judged(event);
        int first = Layer.CATCH_ALL;
        Optional<Rule> obstacle = decider;
        SecurityEngine engine = new SecurityEngine(snapshot);
        for (SecurityEvent stage : judged) {
            Evaluation evaluation = engine.evaluate(stage);
            Optional<Rule> rule = evaluation.rule().flatMap(snapshot::rule);
            if (evaluation.decision() != Decision.ALLOW
                    && rule.isPresent()
                    && rule.get().priority() <= first) {
                first = rule.get().priority();
                obstacle = rule;
            }
        }
        if (first < 1) {
            return new Remedy.NotYours(obstacle.map(rule -> rule.id() + " outranks every user rule")
                    .orElse(""));
        }
        Remedy without = new Remedy.NotYours("no rule of your own comes before "
                + obstacle.map(rule -> rule.id().value()).orElse("the engine") + "; change that rule");
        return working(event, judged, Math.max(1, first - 1)).orElse(without);
    }

    /// An HTTP request is judged by its name, and once more with its address. A rule must let both pass.
    private static List<SecurityEvent> judged(SecurityEvent event) {
        return event instanceof SecurityEvent.HttpRequest request
                        && request.address().isPresent()
                ? List.of(request.withoutAddress(), request)
                : List.of(event);
    }

    private Optional<Remedy> working(SecurityEvent event, List<SecurityEvent> judged, int priority) {
        SuggestedCondition suggestion = SuggestedCondition.of(event, about(event));
        // Of equal priority, the lesser id is asked first, and digits come before letters.
        for (String prefix : List.of("allow_", "0_allow_")) {
            RuleId id = free(event, suggestion, prefix);
            String toml = "[" + id + "]\n"
                    + "on = \"" + event.type().wireName() + "\"\n"
                    + "if = " + Quoting.toml(suggestion.condition()) + "\n"
                    + "decision = \"allow\"\n"
                    + "priority = " + priority + "\n";
            if (allows(judged, toml)) {
                return Optional.of(new Remedy.AddRule(id, toml, suggestion.condition()));
            }
        }
        return Optional.empty();
    }

    private RuleId free(SecurityEvent event, SuggestedCondition suggestion, String prefix) {
        for (int number = 1; ; number++) {
            RuleId id = RuleId.of(event.family().wireName(), suggestion.name(prefix, number));
            if (number == SAME_NAME_MAX || snapshot.rule(id).isEmpty()) {
                return id;
            }
        }
    }

    private boolean allows(List<SecurityEvent> judged, String toml) {
        RuleCompiler.Result result = compiler.compile(List.of(new SourceText("suggestion", Layer.USER, toml)));
        if (!(result instanceof RuleCompiler.Result.Compiled compiled)) {
            return false;
        }
        Rule rule = compiled.snapshot().rules().getFirst();
        if (snapshot.rule(rule.id()).isPresent()) {
            return false;
        }
        SecurityEngine engine = new SecurityEngine(snapshot.with(rule));
        return judged.stream().allMatch(stage -> engine.evaluate(stage).decision() == Decision.ALLOW);
    }

    /// The rules' inputs beside the host: fields of the rule that decides, and of rules that would have allowed
    /// this host but for one of them.
    private Set<String> about(SecurityEvent event) {
        Set<String> about = new HashSet<>();
        Optional<RuleId> decider = new SecurityEngine(snapshot).evaluate(event).rule();
        for (Rule rule : snapshot.rules(event.type())) {
            if (decider.filter(rule.id()::equals).isPresent()) {
                rule.condition().facts().reads().forEach(field -> addOfDecider(about, field));
            } else if (rule.decision() == Decision.ALLOW && isAboutHosts(rule)) {
                List<Term> failing = rule.condition().terms().stream()
                        .filter(term -> !holds(term, event))
                        .toList();
                boolean isForThisHost =
                        failing.size() < rule.condition().terms().size()
                                && failing.stream()
                                        .allMatch(term -> term.reads().stream().allMatch(Remedies::isNarrowing));
                if (isForThisHost) {
                    failing.forEach(term -> term.reads().forEach(field -> add(about, field)));
                }
            }
        }
        return about;
    }

    private static boolean isAboutHosts(Rule rule) {
        return rule.condition()
                .facts()
                .keys()
                .filter(keys -> keys.stream().allMatch(key -> key.field().path().equals("http.request.host")))
                .isPresent();
    }

    private static boolean holds(Term term, SecurityEvent event) {
        try {
            return term.match(new Frame(event)) == Match.YES;
        } catch (EvaluationFailure failure) {
            return false;
        }
    }

    private static boolean isNarrowing(Field field) {
        return switch (field.path()) {
            case SuggestedCondition.METHOD,
                    SuggestedCondition.PATH,
                    "http.request.query",
                    "http.request.url",
                    "http.request.path_class" -> true;
            default -> false;
        };
    }

    /// A rule that reads more than where a request goes, such as its headers or body, is answered for that path.
    private static void addOfDecider(Set<String> about, Field field) {
        if (field.path().startsWith("http.request.headers") || field.path().startsWith("http.request.body")) {
            about.add(SuggestedCondition.PATH);
        }
        add(about, field);
    }

    private static void add(Set<String> about, Field field) {
        if (isNarrowing(field)) {
            about.add(
                    field.path().equals(SuggestedCondition.METHOD)
                            ? SuggestedCondition.METHOD
                            : SuggestedCondition.PATH);
        }
    }
}
