package dev.capsem.network.http;

import dev.capsem.events.Admission;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.ResolvedEvent;
import dev.capsem.events.row.Finding;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.exchange.Judge;
import dev.capsem.exchange.http.ExchangeLog;
import dev.capsem.exchange.http.Refusal;
import dev.capsem.exchange.http.Upgrade;
import dev.capsem.network.http.body.HeldBytes;
import io.netty.channel.EventLoop;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/// What rules say about the messages of one WebSocket. A message is judged as a part of the exchange that opened the
/// connection: from the guest as that request with the message as its body, from the upstream as that response.
@SuppressWarnings("FutureReturnValueIgnored")
final class MessagePolicy {
    /// What becomes of a message.
    sealed interface Treatment {
        record Passed() implements Treatment {}

        record Replaced(String text) implements Treatment {}

        /// It is in the log by now.
        record Refused(Refusal refusal) implements Treatment {}
    }

    private final Stage stage;
    private final ExchangeLog log;
    private final Upgrade upgrade;
    private final EventLoop loop;
    private final Way sent;
    private final Way received;
    /// Detections that the record of this connection has already.
    private final Set<String> found = new HashSet<>();

    /// One direction.
    private record Way(Judge judge, AskedPerson question, boolean isRead) {}

    MessagePolicy(Stage stage, ExchangeLog log, Upgrade upgrade, EventLoop loop) {
        this.stage = stage;
        this.log = log;
        this.upgrade = upgrade;
        this.loop = loop;
        this.sent = new Way(judge(), new AskedPerson(stage.desk(), loop), upgrade.readsSent());
        this.received = new Way(judge(), new AskedPerson(stage.desk(), loop), upgrade.readsReceived());
        upgrade.requestEvaluation().findings().forEach(this::isNew);
        upgrade.responseEvaluation().findings().forEach(this::isNew);
    }

    /// Who approved the upgrade has seen where it leads.
    private Judge judge() {
        Judge judge = new Judge(stage.gate());
        upgrade.request().address().ifPresent(judge::seen);
        return judge;
    }

    boolean reads(boolean isFromGuest) {
        return way(isFromGuest).isRead();
    }

    /// @param then told on the loop, at once unless a person is asked or something must be on record first
    void judge(boolean isFromGuest, Body body, Consumer<Treatment> then) {
        SecurityEvent event = event(isFromGuest, body);
        Evaluation first = isFromGuest ? upgrade.requestEvaluation() : upgrade.responseEvaluation();
        Consumer<Evaluation> decided = evaluation -> {
            switch (evaluation.outcome()) {
                case Evaluation.Allowed _ -> passed(event, evaluation, then);
                case Evaluation.Rewritten(SecurityEvent changed, var _) ->
                    rewritten(event, body, body(changed), evaluation, then);
                case Evaluation.Blocked _, Evaluation.Asked _ -> refused(event, evaluation, then);
            }
        };
        Way way = way(isFromGuest);
        // What was said about another body says nothing about this one.
        boolean isSameEvent = upgrade.request().body() instanceof Body.Absent;
        settle(
                way,
                isSameEvent ? way.judge().judgeAgain(event, first) : way.judge().judge(event),
                decided);
    }

    private void settle(Way way, Judge.Ruling ruling, Consumer<Evaluation> then) {
        switch (ruling) {
            case Judge.Ruling.Settled(Evaluation evaluation) -> {
                stage.metrics().decided(evaluation.decision().wireName());
                then.accept(evaluation);
            }
            case Judge.Ruling.Asks(SecurityEvent shown, Evaluation question) -> {
                stage.metrics().decided(question.decision().wireName());
                way.question()
                        .ask(
                                shown,
                                question,
                                answer -> then.accept(answer.map(way.judge()::answered)
                                        .orElseGet(() -> way.judge()
                                                .refused(
                                                        Answer.Cause.NO_APPROVER, "the question could not be asked"))));
            }
        }
    }

    /// What cannot be understood is not forwarded either.
    Refusal malformed(boolean isFromGuest, String reason) {
        Refusal refusal = Refusal.of(400, Refusal.MALFORMED, reason, "send frames that follow RFC 6455");
        log.judgedResponse(
                event(isFromGuest, Body.NONE),
                Evaluation.blocked(BlockCause.MALFORMED_TRAFFIC, refusal.code() + ": " + reason));
        return refusal;
    }

    /// Where messages of one direction are counted.
    HeldBytes.Room room(boolean isFromGuest) {
        return budget(isFromGuest).room(loop);
    }

    private HeldBytes budget(boolean isFromGuest) {
        return isFromGuest ? stage.requestsHeld() : stage.responsesHeld();
    }

    /// There was no room for a message that a rule must read.
    Refusal full(boolean isFromGuest) {
        Evaluation full = Evaluation.blocked(
                BlockCause.INSPECTION_FULL, budget(isFromGuest).fullBecause());
        log.judgedResponse(event(isFromGuest, Body.NONE), full);
        return Refusal.blocked(full, "message");
    }

    /// Nobody needs an answer any more.
    void withdraw() {
        sent.question().withdraw();
        received.question().withdraw();
    }

    private void rewritten(
            SecurityEvent event, Body before, Body after, Evaluation evaluation, Consumer<Treatment> then) {
        if (after.equals(before)) {
            // It speaks of the upgrade's head, which is long gone.
            passed(event, evaluation, then);
        } else if (before instanceof Body.Text text && !text.isBinary() && after instanceof Body.Text changed) {
            record(event, evaluation, new Treatment.Replaced(changed.text()), then);
        } else {
            refused(event, evaluation, then);
        }
    }

    private void refused(SecurityEvent event, Evaluation evaluation, Consumer<Treatment> then) {
        log.judgedResponse(event, evaluation);
        then.accept(new Treatment.Refused(Refusal.blocked(evaluation, "message")));
    }

    private void passed(SecurityEvent event, Evaluation evaluation, Consumer<Treatment> then) {
        List<Finding> fresh = evaluation.findings().stream().filter(this::isNew).toList();
        if (fresh.isEmpty()) {
            then.accept(new Treatment.Passed());
            return;
        }
        record(
                event,
                evaluation
                        .with(new Evaluation.Allowed(), evaluation.rule(), evaluation.reason(), evaluation.steps())
                        .withFindings(fresh),
                new Treatment.Passed(),
                then);
    }

    private void record(SecurityEvent event, Evaluation evaluation, Treatment treatment, Consumer<Treatment> then) {
        stage.recorder()
                .admit(event.type())
                .thenAcceptAsync(
                        found -> {
                            switch (found) {
                                case Admission.Admitted(Admission.Place place) ->
                                    stage.recorder()
                                            .record(
                                                    place,
                                                    () -> List.of(
                                                            RecordedExchange.of(ResolvedEvent.of(event, evaluation))))
                                            .thenRunAsync(() -> then.accept(treatment), loop);
                                case Admission.Refused refused ->
                                    then.accept(new Treatment.Refused(Refusal.unrecorded(refused)));
                            }
                        },
                        loop);
    }

    private boolean isNew(Finding finding) {
        return found.add(finding.ruleId());
    }

    private Way way(boolean isFromGuest) {
        return isFromGuest ? sent : received;
    }

    private SecurityEvent event(boolean isFromGuest, Body body) {
        return upgrade.message(stage.envelopes(), isFromGuest, body);
    }

    private static Body body(SecurityEvent event) {
        return switch (event) {
            case SecurityEvent.HttpRequest request -> request.body();
            case SecurityEvent.HttpResponse response -> response.body();
            case SecurityEvent other -> throw new IllegalStateException("a message became a " + other.type());
        };
    }
}
