package dev.capsem.network.http;

import dev.capsem.events.Admission;
import dev.capsem.events.Correlation;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.traffic.ModelTap;
import dev.capsem.events.vocabulary.EventType;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import java.time.Duration;
import java.util.Deque;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One request from its head to the end of its answer: judged first, then carried. Lives on one event loop; whoever
/// answers late (a person, a resolver, an upstream) answers there. Nothing reaches an upstream before the verdict.
@SuppressWarnings("FutureReturnValueIgnored")
final class Exchange {
    private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);

    private enum Phase {
        /// The body is read, and held, because the verdict needs it.
        COLLECTING,
        /// Waiting for a verdict, an address or a connection.
        WAITING,
        /// The request goes to the upstream as it comes.
        CARRYING,
        /// We answer ourselves; what still comes of the request is thrown away.
        ANSWERING,
        OVER
    }

    private final Stage stage;
    private final GuestLeg guest;
    private final HttpRequest received;
    private final ConnectionFacts facts;
    private final EventLoop loop;
    private final Judge judge;
    private final ExchangeTimer timer;
    private final Evidence evidence;
    private final Envelope envelope;

    private final ExchangeRecord records;
    private final RequestBody body = new RequestBody();

    private Phase phase = Phase.WAITING;
    private boolean isReadingGuest;
    private boolean sentContinue;

    /// True once we issued the extra read that detects a closed guest. A guest that half-closes a plain connection
    /// may still listen, so the read is issued only while a person is asked: nobody should answer for a guest that
    /// is gone.
    private boolean sawEnd;

    private @Nullable RequestHead head;
    private SecurityEvent.@Nullable HttpRequest event;
    private Optional<ModelTap> tap = Optional.empty();
    private Optional<Carriage> carriage = Optional.empty();
    private CompletableFuture<Admission> admission = new CompletableFuture<>();

    Exchange(Stage stage, GuestLeg guest, ConnectionFacts facts, HttpRequest received) {
        this.stage = stage;
        this.guest = guest;
        this.received = received;
        this.facts = facts;
        this.loop = guest.channel().eventLoop();
        this.judge =
                new Judge(stage.gate(), stage.desk(), stage.metrics(), loop, this::readGuest, stage.resolver()::known);
        this.timer = new ExchangeTimer(loop);
        this.envelope = stage.envelopes()
                .inline(Correlation.NONE)
                .withCaller(facts.caller().claim());
        this.evidence = new Evidence(facts.caller(), facts.connectionType(), envelope.at());
        this.records = new ExchangeRecord(stage, evidence, guest.isHttp2());
    }

    // ---------------------------------------------------------------- the request, from the guest

    void start() {
        guarded(() -> {
            switch (RequestHead.parse(received, facts, stage.ledger())) {
                case RequestHead.Bad(Refusal refusal) -> refuseUnread(refusal);
                case RequestHead.Good(RequestHead parsed) -> begin(parsed);
            }
        });
    }

    private void begin(RequestHead parsed) {
        boolean hasBody = HttpUtil.isTransferEncodingChunked(received) || HttpUtil.getContentLength(received, 0L) > 0;
        if (guest.isHttp2() ? received instanceof FullHttpRequest : !hasBody) {
            body.none();
        }
        SecurityEvent.HttpRequest request;
        try {
            request = parsed.event(envelope, facts, hasBody);
        } catch (IllegalArgumentException unfit) {
            refuseUnread(Refusal.malformed(new BadRequest(400, "the request cannot be judged: " + unfit.getMessage())));
            return;
        }
        head = parsed;
        event = request;
        tap = stage.observer().modelCall(request);
        body.watch(parsed.headers(), tap.isPresent(), stage.metrics());
        if (hasBody && (tap.isPresent() || judge.needsBody(request))) {
            collect();
        } else {
            judgeRequest(request);
        }
    }

    private void collect() {
        phase = Phase.COLLECTING;
        body.hold(stage.requestsHeld(), loop, HttpUtil.getContentLength(received, -1L), holder);
        if (!body.isHeldUp()) {
            awaitBody();
        }
    }

    private void awaitBody() {
        if (HttpUtil.is100ContinueExpected(received) && !sentContinue) {
            sentContinue = true;
            guest.channel().writeAndFlush(Answers.goOn());
        }
        limit(stage.timeouts().bodyIdle(), "the request's body did not arrive in time");
    }

    private final Holding.Holder holder = new Holding.Holder() {
        @Override
        public void take(HttpContent content) {
            guarded(() -> taken(content));
        }

        @Override
        public void goOn() {
            if (phase == Phase.COLLECTING) {
                awaitBody();
            }
            readGuest();
        }

        @Override
        public void noRoom() {
            Evaluation full = Evaluation.blocked(
                    BlockCause.INSPECTION_FULL, stage.requestsHeld().fullBecause());
            evidence.judgedRequest(request(), full);
            block(full, "request");
        }
    };

    /// The content is ours to release.
    void requestContent(HttpContent content) {
        body.arrives(content, holder);
    }

    private void taken(HttpContent content) {
        if (phase == Phase.ANSWERING || phase == Phase.OVER) {
            body.threwAway(content);
            return;
        }
        body.came(content);
        if (phase == Phase.COLLECTING && body.isReadyForRules()) {
            phase = Phase.WAITING;
            timer.stop();
            body.collected();
            judgeRequest(request().withBody(body.forRules()));
        } else if (phase == Phase.CARRYING) {
            carriage.ifPresent(Carriage::sendBody);
        }
    }

    /// In place of [#start]: not even the head could be read.
    void requestUnreadable(BadRequest bad) {
        refuseUnread(Refusal.malformed(bad));
    }

    /// The decoder gave up on what followed the head.
    void requestBroken(BadRequest bad) {
        evidence.failed("the request broke off: " + bad.reason());
        if (cutShortIfUnderWay()) {
            return;
        }
        if (phase != Phase.ANSWERING && phase != Phase.OVER) {
            body.broke();
            Refusal refusal = Refusal.malformed(bad);
            evidence.judgedRequest(request(), Refused.evaluation(refusal));
            answer(refusal, "block", Outcome.DENIED);
        }
    }

    void guestReadComplete() {
        isReadingGuest = false;
        carriage.ifPresent(Carriage::flush);
        readGuest();
    }

    void guestWritable() {
        response().ifPresent(ResponseFlow::guestWritable);
    }

    /// Reads on while somebody can take it, and one piece ahead otherwise, so that a guest that leaves is noticed.
    void readGuest() {
        if (isReadingGuest || phase == Phase.OVER) {
            return;
        }
        boolean wants = switch (phase) {
            case COLLECTING -> !body.isHeldUp();
            case WAITING -> body.hasNothingToSend() || body.isComplete();
            case CARRYING ->
                body.isComplete() || carriage.map(Carriage::isWritable).orElse(false);
            case ANSWERING -> !body.isComplete() && !body.isDrainedEnough();
            case OVER -> false;
        };
        boolean mayReadOn = !body.isComplete() || (!sawEnd && (facts.isTls() || judge.isAsking()));
        if (wants && mayReadOn) {
            sawEnd |= body.isComplete();
            isReadingGuest = true;
            guest.read();
        }
    }

    /// The guest says nothing more. It may listen still, so that it is told why nobody was asked any longer.
    void guestInputOver() {
        judge.refuse("the client ended its side of the connection before the answer; keep it open");
    }

    boolean isRequestComplete() {
        return body.isComplete();
    }

    /// Whether the guest has seen a part of its answer.
    boolean isAnswered() {
        return response().map(ResponseFlow::isUnderWay).orElse(false);
    }

    boolean isOver() {
        return phase == Phase.OVER;
    }

    void guestGone() {
        if (phase == Phase.OVER) {
            return;
        }
        judge.withdraw();
        admission.cancel(false);
        boolean wasAnswered = phase == Phase.ANSWERING;
        response().ifPresent(ResponseFlow::guestGone);
        carriage.ifPresent(Carriage::discard);
        if (!wasAnswered) {
            if (event != null && !evidence.isJudged()) {
                evidence.judgedRequest(
                        event, Evaluation.blocked(BlockCause.NOT_APPROVED, "the guest left before it was decided"));
            }
            evidence.failed("the guest left before the answer was complete");
            record(Outcome.ERROR, response().map(ResponseFlow::status).orElse(OptionalInt.empty()));
        }
        over();
    }

    // ---------------------------------------------------------------- the verdict

    /// What could not be recorded is not even judged: nobody is asked about it, and nothing of it leaves.
    private void judgeRequest(SecurityEvent.HttpRequest asked) {
        admission = stage.recorder().admit(EventType.HTTP_REQUEST);
        if (admission.isDone()) {
            judgeRequest(asked, admission.join());
        } else {
            admission.thenAcceptAsync(found -> guarded(() -> judgeRequest(asked, found)), loop);
        }
    }

    private void judgeRequest(SecurityEvent.HttpRequest asked, Admission found) {
        switch (found) {
            case Admission.Admitted(Admission.Place place)
            when isWaiting() -> {
                records.admitted(place);
                new RequestVerdict(judge, evidence, stage.envelopes(), tap, body, verdict).start(asked);
            }
            case Admission.Admitted(Admission.Place place) -> place.close();
            case Admission.Refused refused -> {
                if (isWaiting()) {
                    records.notAdmitted();
                    answer(Refusal.unrecorded(refused), "block", Outcome.DENIED);
                }
            }
        }
    }

    private final RequestVerdict.Ended verdict = new RequestVerdict.Ended() {
        @Override
        public void passed(RequestVerdict.Passed passed) {
            event = passed.request();
            Carriage.Load load = new Carriage.Load(
                    received, parsedHead(), !sentContinue, passed.replacement(), passed.tap(), passed.modelRequest());
            Carriage carried =
                    new Carriage(Exchange.this, stage, guest, judge, evidence, timer, body, load, passed.request());
            carriage = Optional.of(carried);
            carried.start();
        }

        @Override
        public void refused(SecurityEvent.HttpRequest request, Refusal refusal) {
            event = request;
            answer(refusal, "block", Outcome.DENIED);
        }

        @Override
        public boolean isAwaited() {
            return isWaiting();
        }
    };

    // ---------------------------------------------------------------- what the carriage and the response ask for

    boolean isWaiting() {
        return phase == Phase.WAITING;
    }

    boolean isCarrying() {
        return phase == Phase.CARRYING;
    }

    void carries() {
        phase = Phase.CARRYING;
    }

    void waitsAgain() {
        phase = Phase.WAITING;
    }

    /// The request, now that more is known of where it goes.
    void located(SecurityEvent.HttpRequest request) {
        event = request;
    }

    /// Whether the guest waits to be told that it may send the body.
    boolean awaitsContinue() {
        return HttpUtil.is100ContinueExpected(received) && !sentContinue;
    }

    void limit(Duration time, String reason) {
        timer.within(time, () -> fail(Refusal.of(504, "timeout", reason, "try again later")));
    }

    // ---------------------------------------------------------------- the end

    /// The response is complete and written, and it is on record.
    void responded(boolean isUpstreamReusable, boolean keepsGuest) {
        carriage.ifPresent(used -> used.done(isUpstreamReusable && body.isComplete()));
        boolean mayGoOn = body.isComplete() && keepsGuest;
        over();
        guest.answered(mayGoOn);
    }

    /// From here on bytes pass as they are, and the exchange is over when one of the two sides is.
    ///
    /// @param policy for messages, if a rule reads them
    void becomeTunnel(Upstream to, Deque<HttpContent> early, Optional<MessagePolicy> policy) {
        Tunnel tunnel = new Tunnel(guest.channel(), to.channel(), policy, records::tunnelled);
        records.handedOver();
        carriage.ifPresent(Carriage::handedOver);
        over();
        guest.becomeTunnel(tunnel);
        tunnel.start(early);
    }

    /// The answer was cut short, after its head had left.
    void aborted() {
        carriage.ifPresent(Carriage::discard);
        over();
        guest.abort();
    }

    /// We answer in the upstream's place, because of what was decided.
    void block(Evaluation evaluation, String what) {
        answer(Refusal.blocked(evaluation, what), "block", Outcome.DENIED);
    }

    /// Our own mistake ends this exchange, visibly, and no other.
    void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException bug) {
            LOG.error("an exchange failed", bug);
            evidence.failed("the network engine failed");
            if (cutShortIfUnderWay()) {
                return;
            }
            if (event != null) {
                fail(Refusal.of(500, "internal_error", "the network engine failed", "report this with process.log"));
            } else {
                guest.abort();
            }
        }
    }

    void malformedResponse() {
        fail(Refusal.of(502, "upstream_failed", "the upstream's answer is malformed", "try another host"));
    }

    void fail(Refusal refusal) {
        evidence.failed(refusal.reason());
        answer(refusal, "error", Outcome.ERROR);
    }

    /// Requests that contradict themselves or their connection: not even the Security Engine is asked about them, but
    /// they are on record as blocked.
    private void refuseUnread(Refusal refusal) {
        event = Refused.asEvent(envelope, received, facts);
        evidence.judgedRequest(request(), Refused.evaluation(refusal));
        answer(refusal, "block", Outcome.DENIED);
    }

    private void answer(Refusal refusal, String decision, Outcome outcome) {
        if (phase == Phase.OVER || phase == Phase.ANSWERING) {
            return;
        }
        phase = Phase.ANSWERING;
        timer.stop();
        carriage.ifPresent(Carriage::discard);
        body.discard();
        boolean isHead = request().method().equals("HEAD");
        FullHttpResponse own =
                Answers.response(refusal, decision, request().headers().value("accept"), isHead);
        evidence.responded(RequestHead.headers(own.headers()));
        // What could not be read leaves no way to tell where the next request begins.
        boolean isReadable = !refusal.code().equals(Refusal.MALFORMED);
        record(outcome, OptionalInt.of(refusal.status())).thenRunAsync(() -> send(own, isReadable), loop);
        readGuest();
    }

    private void send(FullHttpResponse own, boolean isReadable) {
        if (phase == Phase.OVER) {
            own.release();
            return;
        }
        boolean mayGoOn = body.isComplete() && isReadable && (guest.isHttp2() || HttpUtil.isKeepAlive(received));
        if (!guest.isHttp2()) {
            HttpUtil.setKeepAlive(own.headers(), received.protocolVersion(), mayGoOn);
        }
        guest.channel().writeAndFlush(own);
        over();
        guest.answered(mayGoOn);
    }

    CompletableFuture<Void> record(Outcome outcome, OptionalInt status) {
        return records.write(outcome, status, body, response());
    }

    private void over() {
        phase = Phase.OVER;
        timer.stop();
        records.close();
        body.close();
        response().ifPresent(ResponseFlow::close);
    }

    private boolean cutShortIfUnderWay() {
        return carriage.map(Carriage::cutShortIfUnderWay).orElse(false);
    }

    // ---------------------------------------------------------------- what is known by now

    private SecurityEvent.HttpRequest request() {
        return Objects.requireNonNull(event, "the head was parsed first");
    }

    private RequestHead parsedHead() {
        return Objects.requireNonNull(head, "the head was parsed first");
    }

    private Optional<ResponseFlow> response() {
        return carriage.flatMap(Carriage::response);
    }
}
