package dev.capsem.telemetry.write;

import dev.capsem.events.Admission;
import dev.capsem.events.Judgement;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.ResolvedEvent;
import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.Step;
import dev.capsem.events.vocabulary.AttributionScope;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.events.vocabulary.OriginKind;
import dev.capsem.events.vocabulary.SourceEngine;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import dev.capsem.telemetry.SessionIdentity;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Puts on record what was refused because it could not be: one event for each kind, with the number in words.
final class Refusals {
    private final InstantSource clock;
    private final IdSource ids;

    Refusals(InstantSource clock) {
        this.clock = clock;
        this.ids = new IdSource(clock, new SecureRandom());
    }

    List<RecordedExchange> events(Map<EventType, Long> counts, String cause, SessionIdentity identity) {
        return counts.entrySet().stream()
                .map(count -> event(count.getKey(), count.getValue(), cause, identity))
                .toList();
    }

    private RecordedExchange event(EventType kind, long count, String cause, SessionIdentity identity) {
        Attribution attribution = new Attribution(
                AttributionScope.VM,
                OriginKind.UNKNOWN,
                Optional.empty(),
                Optional.of(identity.sandboxId()),
                Optional.of(identity.sandboxId()),
                Optional.of(identity.profileId()),
                Optional.empty(),
                Optional.of(identity.userId()));
        return RecordedExchange.of(ResolvedEvent.plain(
                        ids.nextEventId(),
                        clock.instant(),
                        kind,
                        Judgement.decided(SourceEngine.SECURITY, FinalAction.BLOCK),
                        attribution,
                        Correlation.NONE)
                .withSteps(List.of(new Step(
                        StepKind.ENFORCEMENT_MATCH,
                        StepStatus.APPLIED,
                        Optional.empty(),
                        Optional.of(Admission.CODE),
                        Optional.of("refused " + count + " × " + kind.wireName() + ": " + cause)))));
    }
}
