package dev.capsem.exchange.leak;

import dev.capsem.broker.Brokered;
import dev.capsem.events.row.Finding;
import dev.capsem.events.row.Step;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.vocabulary.Confidence;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.events.vocabulary.Severity;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The stand-in of a secret where no grant covers it, in the words of an exchange: a block, and a finding.
public final class PlaceholderLeak {
    private static final String RULE = "capsem.placeholder_leak";
    private static final String PACK = "capsem-broker";

    private PlaceholderLeak() {}

    /// @param what the leak is in, such as `a request to example.com`
    public static Evaluation blocked(EventId event, Brokered.Leaked leak, String what) {
        return Evaluation.blocked(BlockCause.PLACEHOLDER_LEAK, reason(leak, what))
                .withFindings(List.of(finding(event, leak)));
    }

    /// What the rules said, with the leak on top of it. A rule's own block stays the rule's.
    static Evaluation on(Evaluation judged, EventId event, Brokered.Leaked leak, String what) {
        List<Finding> findings = new ArrayList<>(judged.findings());
        findings.add(finding(event, leak));
        if (judged.outcome() instanceof Evaluation.Blocked) {
            return judged.withFindings(findings);
        }
        Optional<String> reason = Optional.of(reason(leak, what));
        List<Step> steps = new ArrayList<>(judged.steps());
        steps.add(new Step(StepKind.ENFORCEMENT_MATCH, StepStatus.ERROR, Optional.empty(), Optional.empty(), reason));
        return judged.with(new Evaluation.Blocked(BlockCause.PLACEHOLDER_LEAK), Optional.empty(), reason, steps)
                .withFindings(findings);
    }

    private static String reason(Brokered.Leaked leak, String what) {
        return "placeholder_leak: the placeholder of grant " + leak.grant() + " is in the " + leak.place() + " of "
                + what + ": " + leak.reason();
    }

    private static Finding finding(EventId event, Brokered.Leaked leak) {
        return new Finding(
                "leak-" + event.value(),
                RULE,
                PACK,
                Optional.empty(),
                "The placeholder of grant " + leak.grant() + " was sent where no grant covers it",
                Severity.HIGH,
                Confidence.HIGH,
                List.of("attack.exfiltration"));
    }
}
