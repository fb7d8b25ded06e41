package dev.capsem.network.dns;

import dev.capsem.events.Admission;
import dev.capsem.events.Admission.Place;
import dev.capsem.events.EventSink;
import dev.capsem.events.Judgement;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.ResolvedEvent;
import dev.capsem.events.row.DnsRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.row.PolicyOutcome;
import dev.capsem.events.row.Step;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.EnvelopeSource;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.events.vocabulary.SourceEngine;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import dev.capsem.exchange.dns.DnsAction;
import dev.capsem.exchange.dns.DnsQuery;
import dev.capsem.exchange.dns.ResponseCode;
import dev.capsem.network.metrics.Histogram;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/// Puts each question on record with what became of it.
final class DnsRecorder {
    private static final String UNREADABLE_NAME = "INVALID_DNS_BYTES";

    private final EventSink sink;
    private final EnvelopeSource envelopes;
    private final Map<Outcome, LongAdder> counts = new EnumMap<>(Outcome.class);

    DnsRecorder(EventSink sink, EnvelopeSource envelopes) {
        this.sink = sink;
        this.envelopes = envelopes;
        for (Outcome outcome : Outcome.values()) {
            counts.put(outcome, new LongAdder());
        }
    }

    /// Whether a question may be looked at. Waits some seconds at most.
    Admission admit() {
        return sink.admit(EventType.DNS_REQUEST).join();
    }

    /// @param place of its admission
    void answered(DnsAction.PutOnRecord answered, QueryOrigin origin, Place place) {
        DnsQuery.Question question = answered.question();
        Envelope envelope = question.event().envelope();
        ResolvedEvent event = ResolvedEvent.of(question.event(), answered.evaluation());
        DnsRow row = new DnsRow(
                envelope.at(),
                question.name(),
                question.type(),
                question.queryClass(),
                answered.reply().responseCode(),
                answered.outcome(),
                answered.evaluation().rule().map(RuleId::value),
                Optional.of(origin.transport()),
                origin.processName(),
                answered.upstream(),
                envelope.correlation().traceId(),
                answered.evaluation().policyOutcome());
        count(answered.outcome()).increment();
        sink.record(RecordedExchange.of(event, row), place);
    }

    /// Bytes that are no question.
    void unreadable(QueryOrigin origin, String reason) {
        Envelope envelope = envelopes.inline(Correlation.NONE);
        ResolvedEvent event = ResolvedEvent.plain(
                        envelope.id(),
                        envelope.at(),
                        EventType.DNS_REQUEST,
                        Judgement.decided(SourceEngine.NETWORK, FinalAction.BLOCK),
                        envelope.attribution(),
                        envelope.correlation())
                .withSteps(List.of(new Step(
                        StepKind.PREPROCESSOR,
                        StepStatus.ERROR,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(reason))));
        DnsRow row = new DnsRow(
                envelope.at(),
                UNREADABLE_NAME,
                0,
                0,
                ResponseCode.FORMAT_ERROR,
                Outcome.ERROR,
                Optional.empty(),
                Optional.of(origin.transport()),
                origin.processName(),
                Duration.ZERO,
                envelope.correlation().traceId(),
                new PolicyOutcome(Optional.of("enforce"), Optional.of("block"), Optional.empty(), Optional.of(reason)));
        count(Outcome.ERROR).increment();
        sink.note(RecordedExchange.of(event, row));
    }

    DnsCounts counts(Lookups lookups, Histogram handleMillis) {
        return new DnsCounts(
                count(Outcome.ALLOWED).sum(),
                count(Outcome.DENIED).sum(),
                count(Outcome.REDIRECTED).sum(),
                count(Outcome.ERROR).sum(),
                lookups.hits(),
                lookups.misses(),
                lookups.evictions(),
                lookups.failures(),
                handleMillis.snapshot(),
                lookups.upstreamMillis());
    }

    private LongAdder count(Outcome outcome) {
        return Objects.requireNonNull(counts.get(outcome), "there is one for each");
    }
}
