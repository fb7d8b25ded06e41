package dev.capsem.exchange.http;

import dev.capsem.broker.Brokered;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.ResolvedEvent;
import dev.capsem.events.row.Caller;
import dev.capsem.events.row.GrantUse;
import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.row.PolicyOutcome;
import dev.capsem.events.row.Projection;
import dev.capsem.events.row.Step;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.traffic.ModelTap;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import dev.capsem.events.vocabulary.TraceId;
import dev.capsem.exchange.Judge;
import dev.capsem.exchange.http.body.Redactor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The facts of one exchange, gathered while it lasts; they become its rows when it is over.
public final class ExchangeLog {
    private final Caller caller;
    private final String connectionType;
    private final Instant at;
    private final Redactor redactor;

    /// The request as it went on, without what a rule stripped; none if it never became one.
    private Optional<SecurityEvent.HttpRequest> request = Optional.empty();

    private Optional<Evaluation> evaluation = Optional.empty();
    private final List<Judged> others = new ArrayList<>();
    private Optional<ModelTap> tap = Optional.empty();
    private Optional<Judged> modelRequest = Optional.empty();
    /// Of an answer that was simply allowed; the answer itself, and its body, are not held for it.
    private Optional<ResolvedEvent> answer = Optional.empty();
    private Optional<Headers> responseHeaders = Optional.empty();
    private Optional<PolicyOutcome> deciding = Optional.empty();
    private Optional<String> failure = Optional.empty();
    private final Map<Used, Integer> uses = new LinkedHashMap<>();

    private record Used(String grant, String place) {}

    /// An event with what was decided about it.
    private record Judged(SecurityEvent event, Evaluation evaluation) {
        boolean isPlain() {
            return evaluation.outcome() instanceof Evaluation.Allowed
                    && evaluation.findings().isEmpty();
        }
    }

    ExchangeLog(Caller caller, String connectionType, Instant at, Redactor redactor) {
        this.caller = caller;
        this.connectionType = connectionType;
        this.at = at;
        this.redactor = redactor;
    }

    void judgedRequest(SecurityEvent.HttpRequest event, Evaluation judged) {
        request = Optional.of(event);
        evaluation = Optional.of(
                evaluation.map(first -> Judge.together(first, judged)).orElse(judged));
        decides(judged);
    }

    void judgedModelRequest(SecurityEvent.ModelRequest event, Evaluation evaluation, ModelTap reader) {
        tap = Optional.of(reader);
        modelRequest = Optional.of(new Judged(event, evaluation));
        decides(evaluation);
    }

    /// An answer of the upstream's: there is an event for each, however it was decided.
    void judgedAnswer(SecurityEvent.HttpResponse event, Evaluation evaluation) {
        if (new Judged(event, evaluation).isPlain()) {
            answer = Optional.of(ResolvedEvent.of(event, evaluation));
        } else {
            judgedResponse(event, evaluation);
        }
    }

    /// Of what may be many for one exchange, such as messages, only that which was not simply allowed is kept.
    public void judgedResponse(SecurityEvent event, Evaluation evaluation) {
        Judged judged = new Judged(event, evaluation);
        if (!judged.isPlain() || event instanceof SecurityEvent.ModelResponse) {
            others.add(judged);
        }
        if (!(evaluation.outcome() instanceof Evaluation.Allowed)) {
            decides(evaluation);
        }
    }

    /// It may go on, and cannot. The first failure is the cause of those that follow.
    void failed(String why) {
        failure = failure.or(() -> Optional.of(why));
    }

    /// Secrets left with the request, or with a message.
    public void used(List<Brokered.Use> secrets) {
        for (Brokered.Use use : secrets) {
            uses.merge(new Used(use.grant(), use.place()), use.count(), Integer::sum);
        }
    }

    void responded(Headers headers) {
        responseHeaders = Optional.of(headers);
    }

    /// A plain allow never hides what an earlier stage did.
    private void decides(Evaluation evaluation) {
        boolean isPlain = evaluation.outcome() instanceof Evaluation.Allowed;
        if (deciding.isEmpty() || !isPlain) {
            deciding = Optional.of(evaluation.policyOutcome());
        }
    }

    boolean isJudged() {
        return evaluation.isPresent();
    }

    /// Requires: [#isJudged].
    Evaluation evaluation() {
        return evaluation.orElseThrow();
    }

    /// Whether the exchange waits until its record is safe.
    boolean mustWait() {
        return evaluation
                        .filter(found -> !(found.outcome() instanceof Evaluation.Allowed))
                        .isPresent()
                || modelRequest.filter(judged -> !judged.isPlain()).isPresent()
                || others.stream().anyMatch(judged -> !judged.isPlain());
    }

    /// Requires: the exchange is over, and a evaluation on its request was given.
    ///
    /// @param duration of the exchange
    public List<RecordedExchange> rows(Ending ending, Duration duration) {
        if (request.isEmpty() || evaluation.isEmpty()) {
            return List.of();
        }
        Optional<TraceId> trace = tap.map(ModelTap::traceId);
        List<RecordedExchange> rows = new ArrayList<>();
        rows.add(new RecordedExchange(
                traced(withFailure(ResolvedEvent.of(request.get(), evaluation.get()), ending), trace),
                requestRows(ending, duration, trace)));
        modelRequest.ifPresent(judged -> {
            List<Projection> projections = new ArrayList<>();
            if (ending.isModelAnswered()) {
                tap.ifPresent(reader -> projections.add(reader.row(new ModelTap.Facts(
                        at,
                        duration,
                        caller,
                        ending.bytesSent(),
                        ending.bytesReceived(),
                        ending.requestPreview().get()))));
            }
            rows.add(new RecordedExchange(
                    traced(ResolvedEvent.of(judged.event(), judged.evaluation()), trace), projections));
        });
        answer.ifPresent(event -> rows.add(RecordedExchange.of(traced(event, trace))));
        others.forEach(judged ->
                rows.add(RecordedExchange.of(traced(ResolvedEvent.of(judged.event(), judged.evaluation()), trace))));
        return rows;
    }

    private List<Projection> requestRows(Ending ending, Duration duration, Optional<TraceId> trace) {
        SecurityEvent.HttpRequest event = request.orElseThrow();
        List<Projection> all = new ArrayList<>();
        all.add(netRow(ending, duration, trace));
        uses.forEach((use, count) ->
                all.add(new GrantUse(at, event.envelope().id(), use.grant(), use.place(), event.host(), count, trace)));
        return all;
    }

    private ResolvedEvent withFailure(ResolvedEvent event, Ending ending) {
        if (ending.outcome() != Outcome.ERROR || failure.isEmpty()) {
            return event;
        }
        List<Step> steps = new ArrayList<>(event.steps());
        steps.add(new Step(StepKind.EMITTER_DELIVERY, StepStatus.ERROR, Optional.empty(), Optional.empty(), failure));
        return event.withSteps(steps);
    }

    private PolicyOutcome policy(Ending ending) {
        PolicyOutcome decided = deciding.orElse(PolicyOutcome.NONE);
        return ending.outcome() == Outcome.ERROR && failure.isPresent()
                ? new PolicyOutcome(decided.mode(), decided.action(), decided.rule(), failure, decided.outcome())
                : decided;
    }

    private NetRow netRow(Ending ending, Duration duration, Optional<TraceId> trace) {
        SecurityEvent.HttpRequest event = request.orElseThrow();
        return new NetRow(
                at,
                event.host(),
                event.port(),
                ending.outcome(),
                caller,
                Optional.of(event.method()),
                Optional.of(redactor.text(event.path())),
                event.query().map(redactor::query),
                ending.status(),
                ending.bytesSent(),
                ending.bytesReceived(),
                duration,
                deciding.flatMap(PolicyOutcome::rule),
                new NetRow.Previews(
                        redactor.headers(event.headers()),
                        responseHeaders.flatMap(redactor::headers),
                        ending.requestPreview().get(),
                        ending.responsePreview().get()),
                ending.isWebSocket() ? "websocket" : connectionType,
                policy(ending),
                trace);
    }

    private static ResolvedEvent traced(ResolvedEvent event, Optional<TraceId> trace) {
        if (trace.isEmpty() || event.correlation().traceId().isPresent()) {
            return event;
        }
        return event.withCorrelation(event.correlation().withTrace(trace.get()));
    }
}
