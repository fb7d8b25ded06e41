package dev.capsem.network.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.Step;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JudgeTest {
    private static Evaluation decided(Evaluation.Outcome outcome, String rule) {
        RuleId id = RuleId.of("http", rule);
        Step step = new Step(
                StepKind.ENFORCEMENT_MATCH,
                StepStatus.MATCHED,
                Optional.of(id.value()),
                Optional.empty(),
                Optional.empty());
        return new Evaluation(outcome, Optional.of(id), Optional.empty(), List.of(step), List.of());
    }

    /// Readers of the record take the first rule among the steps for the one that decided.
    @Test
    void theStepsOfTheEvaluationThatDecidesComeFirst() {
        Evaluation allowed = decided(new Evaluation.Allowed(), "allow_vm");
        Evaluation blocked = decided(new Evaluation.Blocked(BlockCause.RULE), "private_names");

        for (Evaluation both : List.of(Judge.together(allowed, blocked), Judge.together(blocked, allowed))) {
            assertThat(both.rule()).contains(RuleId.of("http", "private_names"));
            assertThat(both.steps().getFirst().ruleId())
                    .isEqualTo(both.policyOutcome().rule());
            assertThat(both.steps()).hasSize(2);
        }
    }
}
