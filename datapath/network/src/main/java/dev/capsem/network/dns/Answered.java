package dev.capsem.network.dns;

import dev.capsem.events.Step;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Evaluation.Blocked;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What became of a question: what the guest is told, and what the record says of it.
///
/// @param evaluation the engine's, or ours where the question is refused whatever the rules say
record Answered(Reply reply, Outcome outcome, Evaluation evaluation, Duration upstream) {
    static Answered of(Reply reply, Outcome outcome, Evaluation evaluation) {
        return new Answered(reply, outcome, evaluation, Duration.ZERO);
    }

    /// Refused by the nature of the question. The rules had their say before and are on record with it.
    static Answered refused(Evaluation judged, int responseCode, int extendedCode, String reason) {
        List<Step> steps = new ArrayList<>(judged.steps());
        steps.add(new Step(
                StepKind.POSTPROCESSOR, StepStatus.APPLIED, Optional.empty(), Optional.empty(), Optional.of(reason)));
        Evaluation refusal = new Evaluation(
                new Blocked(BlockCause.UNSUPPORTED), Optional.empty(), Optional.of(reason), steps, judged.findings());
        return of(Reply.code(responseCode, extendedCode, "capsem: " + reason), Outcome.DENIED, refusal);
    }
}
