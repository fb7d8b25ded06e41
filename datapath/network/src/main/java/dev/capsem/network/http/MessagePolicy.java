package dev.capsem.network.http;

import dev.capsem.events.Admission;
import dev.capsem.events.Correlation;
import dev.capsem.events.Finding;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.ResolvedEvent;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// What rules say about the messages of one WebSocket. A message is judged as a part of the exchange that opened the
/// connection: from the guest as that request with the message as its body, from the upstream as that response.
@SuppressWarnings("FutureReturnValueIgnored")
final class MessagePolicy {
    /// What becomes of a message.
    sealed interface Verdict {
        record Passed() implements Verdict {}

        record Replaced(String text) implements Verdict {}

        /// It is evidence by now.
        record Refused(Refusal refusal) implements Verdict {}
    }

    static final Refusal EXTENDED = Refusal.of(
            502,
            "upstream_failed",
            "the upstream uses a WebSocket extension, and a rule must read the messages",
            "ask for the connection without Sec-WebSocket-Extensions");

    private final Stage stage;
    private final Evidence evidence;
    private final Upgrade upgrade;
    private final EventLoop loop;
    private final Way sent;
    private final Way received;
    /// Detections that the record of this connection has already.
    private final Set<String> found = new HashSet<>();

    /// The exchange that opened the connection, with what was decided about it.
    record Upgrade(
            SecurityEvent.HttpRequest request,
            Evaluation requestVerdict,
            SecurityEvent.HttpResponse response,
            Evaluation responseVerdict) {}

    /// One direction.
    private record Way(Judge judge, boolean isRead) {}

    private MessagePolicy(Stage stage, Evidence evidence, Upgrade upgrade, EventLoop loop, boolean sent, boolean back) {
        this.stage = stage;
        this.evidence = evidence;
        this.upgrade = upgrade;
        this.loop = loop;
        this.sent = new Way(judge(), sent);
        this.received = new Way(judge(), back);
        upgrade.requestVerdict().findings().forEach(this::isNew);
        upgrade.responseVerdict().findings().forEach(this::isNew);
    }

    /// Who approved the upgrade has seen where it leads.
    private Judge judge() {
        Judge judge = new Judge(stage.gate(), stage.desk(), stage.metrics(), loop, () -> {}, _ -> Optional.empty());
        upgrade.request().address().ifPresent(judge::seen);
        return judge;
    }

    /// Whether messages would be read if the upstream agrees to the upgrade, as far as can be told before it answers.
    static boolean isExpected(Stage stage, SecurityEvent.HttpRequest request) {
        return reads(stage, request) || reads(stage, agreed(stage, request, Headers.NONE, Body.NONE));
    }

    /// None if no rule in force could decide by a message: then nobody looks at them.
    static Optional<MessagePolicy> of(Stage stage, Evidence evidence, Upgrade upgrade, EventLoop loop) {
        boolean sent = reads(stage, upgrade.request());
        boolean received = reads(stage, upgrade.response());
        return sent || received
                ? Optional.of(new MessagePolicy(stage, evidence, upgrade, loop, sent, received))
                : Optional.empty();
    }

    private static boolean reads(Stage stage, SecurityEvent.HttpRequest request) {
        return stage.gate().needsBody(request.withBody(new Body.Unread(Optional.empty())));
    }

    private static boolean reads(Stage stage, SecurityEvent.HttpResponse response) {
        return stage.gate().needsBody(response.withBody(new Body.Unread(Optional.empty())));
    }

    boolean reads(boolean isFromGuest) {
        return way(isFromGuest).isRead();
    }

    /// @param then told on the loop, at once unless a person is asked or something must be on record first
    void judge(boolean isFromGuest, Body body, Consumer<Verdict> then) {
        SecurityEvent event = event(isFromGuest, body);
        Evaluation first = isFromGuest ? upgrade.requestVerdict() : upgrade.responseVerdict();
        Consumer<Evaluation> decided = evaluation -> {
            switch (evaluation.outcome()) {
                case Evaluation.Allowed _ -> passed(event, evaluation, then);
                case Evaluation.Rewritten(SecurityEvent changed, var _) ->
                    rewritten(event, body, body(changed), evaluation, then);
                case Evaluation.Blocked _, Evaluation.Asked _ -> refused(event, evaluation, then);
            }
        };
        if (upgrade.request().body() instanceof Body.Absent) {
            way(isFromGuest).judge().judgeAgain(event, first, decided);
        } else {
            // What was said about another body says nothing about this one.
            way(isFromGuest).judge().judge(event, decided);
        }
    }

    /// What cannot be understood is not forwarded either.
    Refusal malformed(boolean isFromGuest, String reason) {
        Refusal refusal = Refusal.of(400, Refusal.MALFORMED, reason, "send frames that follow RFC 6455");
        evidence.judgedResponse(
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
        evidence.judgedResponse(event(isFromGuest, Body.NONE), full);
        return Refusal.blocked(full, "message");
    }

    /// Nobody needs an answer any more.
    void withdraw() {
        sent.judge().withdraw();
        received.judge().withdraw();
    }

    private void rewritten(
            SecurityEvent event, Body before, Body after, Evaluation evaluation, Consumer<Verdict> then) {
        if (after.equals(before)) {
            // It speaks of the upgrade's head, which is long gone.
            passed(event, evaluation, then);
        } else if (before instanceof Body.Text text && !text.isBinary() && after instanceof Body.Text changed) {
            record(event, evaluation, new Verdict.Replaced(changed.text()), then);
        } else {
            refused(event, evaluation, then);
        }
    }

    private void refused(SecurityEvent event, Evaluation evaluation, Consumer<Verdict> then) {
        evidence.judgedResponse(event, evaluation);
        then.accept(new Verdict.Refused(Refusal.blocked(evaluation, "message")));
    }

    private void passed(SecurityEvent event, Evaluation evaluation, Consumer<Verdict> then) {
        List<Finding> fresh = evaluation.findings().stream().filter(this::isNew).toList();
        if (fresh.isEmpty()) {
            then.accept(new Verdict.Passed());
            return;
        }
        record(
                event,
                new Evaluation(
                        new Evaluation.Allowed(), evaluation.rule(), evaluation.reason(), evaluation.steps(), fresh),
                new Verdict.Passed(),
                then);
    }

    private void record(SecurityEvent event, Evaluation evaluation, Verdict verdict, Consumer<Verdict> then) {
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
                                            .thenRunAsync(() -> then.accept(verdict), loop);
                                case Admission.Refused refused ->
                                    then.accept(new Verdict.Refused(Refusal.unrecorded(refused)));
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
        return isFromGuest
                ? asked(body)
                : agreed(stage, upgrade.request(), upgrade.response().headers(), body);
    }

    private SecurityEvent.HttpRequest asked(Body body) {
        SecurityEvent.HttpRequest request = upgrade.request();
        return new SecurityEvent.HttpRequest(
                envelope(stage, request),
                request.method(),
                request.scheme(),
                request.host(),
                request.port(),
                request.path(),
                request.query(),
                request.headers(),
                body,
                request.address());
    }

    private static SecurityEvent.HttpResponse agreed(
            Stage stage, SecurityEvent.HttpRequest request, Headers headers, Body body) {
        int status = HttpResponseStatus.SWITCHING_PROTOCOLS.code();
        return new SecurityEvent.HttpResponse(envelope(stage, request), request, status, headers, body);
    }

    private static Envelope envelope(Stage stage, SecurityEvent.HttpRequest request) {
        return stage.envelopes()
                .inline(Correlation.NONE.withParent(request.envelope().id()))
                .withCaller(request.envelope().caller());
    }

    private static Body body(SecurityEvent event) {
        return switch (event) {
            case SecurityEvent.HttpRequest request -> request.body();
            case SecurityEvent.HttpResponse response -> response.body();
            case SecurityEvent other -> throw new IllegalStateException("a message became a " + other.type());
        };
    }
}
