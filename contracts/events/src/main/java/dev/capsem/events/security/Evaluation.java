package dev.capsem.events.security;

import dev.capsem.events.row.Finding;
import dev.capsem.events.row.PolicyOutcome;
import dev.capsem.events.row.Step;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// The engine's answer to one event, with the evidence for it.
///
/// @param rule the rule that decided; none if the engine failed closed before any did
/// @param reason for people and the audit trail; never holds payload
/// @param steps what was done, in order, as the resolved event will keep it
/// @param findings what detections saw; they never decide
/// @param revision of the profile whose rules said so; none if no profile's did
public record Evaluation(
        Outcome outcome,
        Optional<RuleId> rule,
        Optional<String> reason,
        List<Step> steps,
        List<Finding> findings,
        Optional<String> revision) {
    private static final String APPROVED = "approved by ";

    /// The next step of the asker.
    public sealed interface Outcome {}

    /// Go on, unchanged.
    public record Allowed() implements Outcome {}

    /// Hold it until a person answers. Nobody to ask, or no answer in time: treat it as [Blocked].
    public record Asked() implements Outcome {}

    /// Nothing of it may go on.
    public record Blocked(BlockCause cause) implements Outcome {}

    /// Go on with this event instead: its values have been checked like any other event's.
    public record Rewritten(SecurityEvent event, List<Mutation> mutations) implements Outcome {
        public Rewritten {
            mutations = List.copyOf(mutations);
        }
    }

    public Evaluation {
        steps = List.copyOf(steps);
        findings = List.copyOf(findings);
    }

    /// Of no profile's rules.
    public Evaluation(
            Outcome outcome, Optional<RuleId> rule, Optional<String> reason, List<Step> steps, List<Finding> findings) {
        this(outcome, rule, reason, steps, findings, Optional.empty());
    }

    /// Another decision on the same event, under the same rules.
    public Evaluation with(Outcome other, Optional<RuleId> decider, Optional<String> why, List<Step> taken) {
        return new Evaluation(other, decider, why, taken, findings, revision);
    }

    public Evaluation withFindings(List<Finding> found) {
        return new Evaluation(outcome, rule, reason, steps, found, revision);
    }

    public Evaluation withRevision(String of) {
        return new Evaluation(outcome, rule, reason, steps, findings, Optional.of(of));
    }

    /// Blocked before any rule was asked.
    public static Evaluation blocked(BlockCause cause, String reason) {
        Step step = new Step(
                StepKind.ENFORCEMENT_MATCH, StepStatus.ERROR, Optional.empty(), Optional.empty(), Optional.of(reason));
        return new Evaluation(new Blocked(cause), Optional.empty(), Optional.of(reason), List.of(step), List.of());
    }

    /// The same evaluation after a person was asked: allowed, or blocked for good.
    ///
    /// Requires: the outcome is [Asked].
    public Evaluation answered(Answer answer) {
        if (!(outcome instanceof Asked)) {
            throw new IllegalStateException("only a question can be answered");
        }
        List<Step> told = new ArrayList<>(steps);
        told.add(new Step(
                StepKind.CONFIRM,
                StepStatus.APPLIED,
                rule.map(RuleId::value),
                Optional.empty(),
                Optional.of(
                        switch (answer) {
                            case Answer.Approved(Answer.Scope scope, String by) ->
                                APPROVED + by + " (" + scope.wireName() + ")";
                            case Answer.Refused(Answer.Cause cause, String why, String by) ->
                                cause.wireName() + ": " + why + " (" + by + ")";
                        })));
        return switch (answer) {
            case Answer.Approved _ -> with(new Allowed(), rule, reason, told);
            case Answer.Refused refused ->
                with(new Blocked(BlockCause.NOT_APPROVED), rule, Optional.of(refused.reason()), told);
        };
    }

    public Decision decision() {
        return switch (outcome) {
            case Allowed _ -> Decision.ALLOW;
            case Asked _ -> Decision.ASK;
            case Blocked _ -> Decision.BLOCK;
            case Rewritten _ -> Decision.REWRITE;
        };
    }

    public FinalAction finalAction() {
        return switch (outcome) {
            case Allowed _ -> FinalAction.CONTINUE;
            case Asked _ -> FinalAction.ASK;
            case Blocked _ -> FinalAction.BLOCK;
            case Rewritten _ -> FinalAction.REWRITE;
        };
    }

    public List<Mutation> mutations() {
        return outcome instanceof Rewritten rewritten ? rewritten.mutations() : List.of();
    }

    /// The `policy_*` columns of a projection. What a person was asked about stays a question, with what became of it
    /// beside it, as long as the rule that asked is the one that decides.
    public PolicyOutcome policyOutcome() {
        Optional<String> outcome = Optional.empty();
        for (Step step : steps) {
            if (step.kind() == StepKind.CONFIRM && step.ruleId().equals(rule.map(RuleId::value))) {
                outcome = step.message().map(Evaluation::outcomeOf);
            }
        }
        return new PolicyOutcome(
                Optional.of("enforce"),
                Optional.of((outcome.isPresent() ? Decision.ASK : decision()).wireName()),
                rule.map(RuleId::value),
                reason,
                outcome);
    }

    /// Of the message that [#answered(Answer)] wrote.
    private static String outcomeOf(String message) {
        if (message.startsWith(APPROVED)) {
            return "approved";
        }
        String cause = message.substring(0, Math.max(0, message.indexOf(':')));
        return Stream.of(Answer.Cause.values())
                .filter(known -> known.wireName().equals(cause))
                .findFirst()
                .map(known -> switch (known) {
                    case DENIED -> "denied";
                    case TIMED_OUT -> "timeout";
                    case NO_APPROVER, QUEUE_FULL -> "nobody";
                    case WITHDRAWN -> "withdrawn";
                })
                .orElse("denied");
    }
}
