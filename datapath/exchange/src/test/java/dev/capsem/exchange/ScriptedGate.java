package dev.capsem.exchange;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.Finding;
import dev.capsem.events.row.Step;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Mutation;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.vocabulary.AttributionScope;
import dev.capsem.events.vocabulary.Confidence;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.events.vocabulary.OriginKind;
import dev.capsem.events.vocabulary.Severity;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import dev.capsem.exchange.TranscriptFile.Words;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// Rules that say what a transcript has them say, in that order; the last word stays. Says how decisions are written.
public final class ScriptedGate implements SecurityGate {
    /// Of every event here.
    public static final Envelope ENVELOPE = Envelope.inline(
            new EventId("e1"),
            Instant.EPOCH,
            new Attribution(
                    AttributionScope.VM,
                    OriginKind.GUEST_NETWORK,
                    Optional.empty(),
                    Optional.of("lab"),
                    Optional.of("lab"),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty()),
            Correlation.NONE);

    private final String type;
    private final UnaryOperator<SecurityEvent> rewriting;
    private final Deque<Words> script = new ArrayDeque<>();
    private List<Finding> findings = List.of();

    /// @param type of the rules, such as `mcp`
    /// @param rewriting what a rule that rewrites makes of an event
    public ScriptedGate(String type, UnaryOperator<SecurityEvent> rewriting) {
        this.type = type;
        this.rewriting = rewriting;
    }

    /// @param words `rules allow`, or `rules block NAME REASON`, and so on
    public void says(Words words) {
        script.add(words);
    }

    /// @param detections ids of those that match every event from now on
    public void finds(List<String> detections) {
        findings = detections.stream()
                .map(id -> new Finding(
                        "f-" + id, id, "pack", Optional.empty(), id, Severity.HIGH, Confidence.HIGH, List.of()))
                .toList();
    }

    @Override
    public Evaluation evaluate(SecurityEvent event) {
        Words words = script.size() > 1 ? script.removeFirst() : script.getFirst();
        Evaluation.Outcome outcome = switch (words.at(1)) {
            case "allow" -> new Evaluation.Allowed();
            case "ask" -> new Evaluation.Asked();
            case "block" -> new Evaluation.Blocked(BlockCause.RULE);
            case "rewrite" -> new Evaluation.Rewritten(rewriting.apply(event), List.<Mutation>of());
            case "fail" -> new Evaluation.Blocked(BlockCause.valueOf(words.at(2).toUpperCase(Locale.ROOT)));
            default -> throw new IllegalArgumentException("no such decision: " + words.at(1));
        };
        boolean isRule = words.has(2) && !words.at(1).equals("fail");
        Optional<RuleId> rule = isRule ? Optional.of(RuleId.of(type, words.at(2))) : Optional.empty();
        Optional<String> reason = words.has(3) ? Optional.of(words.at(3)) : Optional.empty();
        List<Step> steps = isRule
                ? List.of(new Step(
                        StepKind.ENFORCEMENT_MATCH,
                        StepStatus.MATCHED,
                        rule.map(RuleId::value),
                        Optional.empty(),
                        reason))
                : List.of();
        return new Evaluation(outcome, rule, reason, steps, findings);
    }

    @Override
    public boolean needsBody(SecurityEvent event) {
        return false;
    }

    /// @param words `approved`, `denied`, `timed_out`, … and what was said
    public static Answer answer(Words words) {
        return words.first().equals("approved")
                ? new Answer.Approved(Answer.Scope.ONCE, "me")
                : new Answer.Refused(Answer.Cause.valueOf(words.first().toUpperCase(Locale.ROOT)), words.at(1), "me");
    }

    /// A decision as transcripts write it: the decision, its cause, its rule, its reason, then what was done.
    public static String shown(Evaluation evaluation) {
        StringBuilder shown = new StringBuilder(evaluation.decision().wireName());
        if (evaluation.outcome() instanceof Evaluation.Blocked(BlockCause cause)) {
            shown.append(' ').append(cause.wireName());
        }
        evaluation.rule().ifPresent(rule -> shown.append(' ').append(rule.name()));
        evaluation.reason().ifPresent(reason -> shown.append(' ').append(TranscriptFile.quoted(reason)));
        evaluation.steps().stream()
                .filter(step -> step.kind() != StepKind.ENFORCEMENT_MATCH)
                .forEach(step -> shown.append(" | ")
                        .append(step.kind().wireName())
                        .append(' ')
                        .append(TranscriptFile.quoted(step.message().orElse(""))));
        return shown.toString();
    }
}
