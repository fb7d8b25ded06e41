package dev.capsem.events.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.PolicyOutcome;
import dev.capsem.events.row.Step;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EvaluationTest {
    private static final RuleId RULE = new RuleId("security.rules.http.maybe");

    private static Evaluation asked() {
        return new Evaluation(
                new Evaluation.Asked(), Optional.of(RULE), Optional.of("unknown host"), List.of(), List.of());
    }

    @ParameterizedTest
    @CsvSource({"DENIED,denied", "TIMED_OUT,timeout", "NO_APPROVER,nobody", "QUEUE_FULL,nobody", "WITHDRAWN,withdrawn"})
    void aRefusedQuestionStaysAQuestion(Answer.Cause cause, String outcome) {
        PolicyOutcome policy =
                asked().answered(new Answer.Refused(cause, "why", "capsem")).policyOutcome();

        assertThat(policy.action()).contains("ask");
        assertThat(policy.outcome()).contains(outcome);
        assertThat(policy.rule()).contains(RULE.value());
    }

    @Test
    void anApprovedQuestionStaysAQuestion() {
        PolicyOutcome policy = asked().answered(new Answer.Approved(Answer.Scope.ONCE, "denied: somebody"))
                .policyOutcome();

        assertThat(policy.action()).contains("ask");
        assertThat(policy.outcome()).contains("approved");
    }

    @Test
    void anotherRuleThatBlocksAfterAnApprovalDecides() {
        Evaluation approved = asked().answered(new Answer.Approved(Answer.Scope.ONCE, "cli"));
        List<Step> steps = new ArrayList<>(approved.steps());
        RuleId other = new RuleId("security.rules.http.no");
        steps.add(new Step(
                StepKind.ENFORCEMENT_MATCH,
                StepStatus.MATCHED,
                Optional.of(other.value()),
                Optional.empty(),
                Optional.empty()));

        PolicyOutcome policy = new Evaluation(
                        new Evaluation.Blocked(BlockCause.RULE), Optional.of(other), Optional.empty(), steps, List.of())
                .policyOutcome();

        assertThat(policy.action()).contains("block");
        assertThat(policy.outcome()).isEmpty();
    }

    @Test
    void whatNobodyWasAskedAboutHasNoOutcome() {
        Evaluation allowed =
                new Evaluation(new Evaluation.Allowed(), Optional.of(RULE), Optional.empty(), List.of(), List.of());

        assertThat(allowed.policyOutcome().action()).contains("allow");
        assertThat(allowed.policyOutcome().outcome()).isEmpty();
    }
}
