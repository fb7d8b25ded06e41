package dev.capsem.network.http;

import dev.capsem.events.Correlation;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.traffic.ModelTap;
import dev.capsem.network.address.AddressLiterals;
import dev.capsem.network.record.Preview;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
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
final class Exchange implements UpstreamEvents {
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

    private Phase phase = Phase.WAITING;
    /// What came of the body and is not sent yet.
    private final Deque<HttpContent> pending = new ArrayDeque<>();

    private boolean isRequestComplete;
    private boolean isReadingGuest;
    private boolean sentContinue;
    private long drained;

    private @Nullable RequestHead head;
    private SecurityEvent.@Nullable HttpRequest event;
    private @Nullable BodyWatch requestBody;
    private Optional<ModelTap> tap = Optional.empty();
    private SecurityEvent.@Nullable ModelRequest modelRequest;
    private Optional<Body> replacement = Optional.empty();
    private @Nullable Upstream upstream;
    private @Nullable ResponseFlow response;
    private boolean mayRetry = true;
    private boolean isRecorded;

    Exchange(Stage stage, GuestLeg guest, ConnectionFacts facts, HttpRequest received) {
        this.stage = stage;
        this.guest = guest;
        this.received = received;
        this.facts = facts;
        this.loop = guest.channel().eventLoop();
        this.judge = new Judge(stage.gate(), stage.desk(), stage.metrics(), loop);
        this.timer = new ExchangeTimer(loop);
        this.envelope = stage.envelopes().inline(Correlation.NONE);
        this.evidence = new Evidence(facts.caller(), facts.connectionType(), envelope.at());
    }

    // ---------------------------------------------------------------- the request, from the guest

    void start() {
        guarded(this::read);
    }

    private void read() {
        switch (RequestHead.parse(received, facts, stage.ledger())) {
            case RequestHead.Bad(Refusal refusal) -> refuseUnread(refusal);
            case RequestHead.Good(RequestHead parsed) -> begin(parsed);
        }
    }

    private void begin(RequestHead parsed) {
        boolean hasBody = HttpUtil.isTransferEncodingChunked(received) || HttpUtil.getContentLength(received, 0L) > 0;
        SecurityEvent.HttpRequest request;
        try {
            request = new SecurityEvent.HttpRequest(
                    envelope,
                    parsed.method(),
                    scheme(parsed),
                    parsed.host(),
                    parsed.port(),
                    parsed.path(),
                    parsed.query(),
                    parsed.headers(),
                    hasBody ? new Body.Unread(parsed.headers().value("content-type")) : Body.NONE);
        } catch (IllegalArgumentException unfit) {
            refuseUnread(Refusal.malformed(new BadRequest(400, "the request cannot be judged: " + unfit.getMessage())));
            return;
        }
        // A literal needs no resolving: what it leads to is known at once.
        request = AddressLiterals.parse(parsed.host()).map(request::withAddress).orElse(request);
        head = parsed;
        event = request;
        tap = stage.observer().modelCall(request);
        int previewMax = tap.isPresent() ? Preview.MODEL_BYTES_MAX : Preview.BYTES_MAX;
        requestBody = new BodyWatch(parsed.headers(), new Preview(previewMax), Optional.empty());
        if (hasBody && (tap.isPresent() || judge.needsBody(request))) {
            requestBody.keepAll();
            phase = Phase.COLLECTING;
            if (HttpUtil.is100ContinueExpected(received)) {
                sentContinue = true;
                guest.channel()
                        .writeAndFlush(new DefaultFullHttpResponse(
                                HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
            }
            limit(stage.timeouts().bodyIdle(), "the request's body did not arrive in time");
        } else {
            judgeRequest(request);
        }
    }

    private String scheme(RequestHead parsed) {
        return parsed.isUpgrade() ? (facts.isTls() ? "wss" : "ws") : facts.scheme();
    }

    /// The content is ours to release.
    void requestContent(HttpContent content) {
        boolean isLast = content instanceof LastHttpContent;
        isRequestComplete |= isLast;
        if (phase == Phase.ANSWERING || phase == Phase.OVER) {
            drained += content.content().readableBytes();
            content.release();
            return;
        }
        if (requestBody != null) {
            requestBody.sees(content.content());
        }
        pending.add(content);
        if (phase == Phase.COLLECTING) {
            if (isLast || collecting().isBeyondInspection()) {
                phase = Phase.WAITING;
                timer.stop();
                judgeRequest(request().withBody(collecting().body()));
            }
        } else if (phase == Phase.CARRYING) {
            carry();
        }
    }

    /// In place of [#start]: not even the head could be read.
    void requestUnreadable(BadRequest bad) {
        refuseUnread(Refusal.malformed(bad));
    }

    /// The decoder gave up on what followed the head.
    void requestBroken(BadRequest bad) {
        if (response != null && response.isUnderWay()) {
            response.cutShort();
        } else if (phase != Phase.ANSWERING && phase != Phase.OVER) {
            isRequestComplete = false;
            Refusal refusal = Refusal.malformed(bad);
            evidence.judgedRequest(request(), Refused.evaluation(refusal));
            answer(refusal, "block", Outcome.DENIED);
        }
    }

    void guestReadComplete() {
        isReadingGuest = false;
        if (upstream != null) {
            upstream.channel().flush();
        }
        readGuest();
    }

    void guestWritable() {
        if (response != null) {
            response.guestWritable();
        }
    }

    /// Reads on while somebody can take it, and one piece ahead otherwise, so that a guest that leaves is noticed.
    void readGuest() {
        if (isReadingGuest || phase == Phase.OVER) {
            return;
        }
        boolean wants = switch (phase) {
            case COLLECTING -> true;
            case WAITING -> pending.isEmpty() || isRequestComplete;
            case CARRYING ->
                isRequestComplete || (upstream != null && upstream.channel().isWritable());
            case ANSWERING -> !isRequestComplete && drained < Limits.DRAINED_BYTES;
            case OVER -> false;
        };
        boolean mayReadOn = !isRequestComplete || (!sawEnd && facts.isTls());
        sawEnd |= isRequestComplete;
        if (wants && mayReadOn) {
            isReadingGuest = true;
            guest.read();
        }
    }

    /// Whether the one read beyond a request's end, which only serves to notice a guest that leaves, was asked for. On
    /// a
    /// plain connection it never is: the end of what a guest says is no sign there that it does not listen.
    private boolean sawEnd;

    boolean isRequestComplete() {
        return isRequestComplete;
    }

    boolean isOver() {
        return phase == Phase.OVER;
    }

    void guestGone() {
        if (phase == Phase.OVER) {
            return;
        }
        judge.withdraw();
        boolean wasAnswered = phase == Phase.ANSWERING;
        if (response != null) {
            response.guestGone();
        }
        discardUpstream();
        if (!wasAnswered) {
            if (event != null && !evidence.isJudged()) {
                evidence.judgedRequest(
                        event, Evaluation.blocked(BlockCause.NOT_APPROVED, "the guest left before it was decided"));
            }
            record(Outcome.ERROR, response == null ? OptionalInt.empty() : response.status());
        }
        over();
    }

    // ---------------------------------------------------------------- the verdict

    private void judgeRequest(SecurityEvent.HttpRequest asked) {
        judge.judge(asked, evaluation -> {
            if (phase != Phase.WAITING) {
                return;
            }
            switch (evaluation.outcome()) {
                case Evaluation.Rewritten(SecurityEvent changed, var _)
                when changed instanceof SecurityEvent.HttpRequest rewritten
                        && rewritten.host().equals(asked.host()) -> {
                    if (!rewritten.body().equals(asked.body())) {
                        replacement = Optional.of(rewritten.body());
                    }
                    judged(rewritten, evaluation);
                }
                case Evaluation.Allowed _ -> judged(asked, evaluation);
                case Evaluation.Rewritten _, Evaluation.Blocked _, Evaluation.Asked _ -> {
                    evidence.judgedRequest(asked, evaluation);
                    event = asked;
                    answer(Refusal.blocked(evaluation, "request"), "block", Outcome.DENIED);
                }
            }
        });
    }

    private void judged(SecurityEvent.HttpRequest passed, Evaluation evaluation) {
        event = passed;
        evidence.judgedRequest(passed, evaluation);
        if (tap.isEmpty()) {
            findUpstream();
            return;
        }
        ModelTap reader = tap.get();
        boolean isTooLarge = passed.body() instanceof Body.TooLarge;
        byte[] body = replacement.isPresent() && replacement.get() instanceof Body.Text text
                ? text.text().getBytes(StandardCharsets.UTF_8)
                : collecting().content();
        SecurityEvent.ModelRequest asked =
                reader.request(stage.envelopes().inline(Correlation.NONE.withParent(envelope.id())), body, isTooLarge);
        modelRequest = asked;
        judge.judge(asked, verdict -> {
            if (phase != Phase.WAITING) {
                return;
            }
            evidence.judgedModelRequest(asked, verdict, reader);
            if (verdict.outcome() instanceof Evaluation.Allowed) {
                findUpstream();
            } else {
                // A model request has no fields that a rewrite may touch, so one that says so is a block as well.
                answer(Refusal.blocked(verdict, "model request"), "block", Outcome.DENIED);
            }
        });
    }

    // ---------------------------------------------------------------- the way to the upstream

    private void findUpstream() {
        limit(stage.timeouts().connect().multipliedBy(3), "no connection to the upstream in time");
        new UpstreamSearch(stage, loop, judge, evidence, evidence.verdict(), request(), mayRetry, this, search).start();
    }

    private final UpstreamSearch.Ended search = new UpstreamSearch.Ended() {
        @Override
        public void connected(Upstream found, SecurityEvent.HttpRequest located) {
            guarded(() -> {
                event = located;
                Exchange.this.connected(found);
            });
        }

        @Override
        public void blocked(SecurityEvent.HttpRequest located, Evaluation evaluation) {
            event = located;
            evidence.judgedRequest(located, evaluation);
            block(evaluation, "address");
        }

        @Override
        public void failed(Refusal refusal) {
            fail(refusal);
        }

        @Override
        public boolean isAwaited() {
            return phase == Phase.WAITING;
        }
    };

    private void connected(Upstream found) {
        if (phase != Phase.WAITING) {
            found.discard();
            return;
        }
        upstream = found;
        phase = Phase.CARRYING;
        response = new ResponseFlow(
                this,
                stage,
                guest,
                evidence,
                found,
                request(),
                received,
                tap,
                Optional.ofNullable(modelRequest),
                judge);
        HttpRequest outgoing =
                HeadRewrite.request(received, request(), parsedHead().headers(), parsedHead(), !sentContinue);
        if (replacement.isPresent()) {
            replaceBody(outgoing, replacement.get());
        }
        found.origin().forwarder().ifPresent(proxy -> HeadRewrite.forForwarder(outgoing, found.origin(), proxy));
        found.channel().write(outgoing).addListener(done -> {
            if (!done.isSuccess() && !isUpstreamGone()) {
                found.handler().detach();
                upstreamGone("the request could not be sent");
                found.channel().close();
            }
        });
        carry();
        found.channel().flush();
        found.channel().read();
        limit(stage.timeouts().responseHead(), "the upstream did not answer in time");
        readGuest();
    }

    private boolean isUpstreamGone() {
        return upstream == null;
    }

    private void replaceBody(HttpRequest outgoing, Body body) {
        pending.forEach(HttpContent::release);
        pending.clear();
        ByteBuf content = HeadRewrite.replaceBody(outgoing.headers(), body);
        pending.add(new DefaultLastHttpContent(content));
    }

    private void carry() {
        Upstream to = upstream;
        if (to == null) {
            return;
        }
        for (HttpContent content = pending.poll(); content != null; content = pending.poll()) {
            mayRetry &= !content.content().isReadable();
            to.channel().write(content);
        }
        if (isRequestComplete) {
            to.channel().flush();
        }
    }

    // ---------------------------------------------------------------- the response, from the upstream

    @Override
    public void responseHead(HttpResponse responseHead) {
        mayRetry = false;
        boolean isForProxy = responseHead.status().code() == 407
                && upstream != null
                && upstream.origin().forwarder().isPresent();
        if (isForProxy) {
            // Between the proxy and us: the guest has no business with it, nor with what the proxy calls itself.
            fail(ProxyTunnel.refused(407));
            return;
        }
        if (response != null) {
            if (responseHead.status().code() >= 200) {
                timer.progressWithin(stage.timeouts().bodyIdle(), this::fellSilent);
            }
            response.head(responseHead);
        }
    }

    @Override
    public void responseContent(HttpContent content) {
        if (response == null) {
            content.release();
            return;
        }
        timer.progressed();
        response.content(content);
    }

    @Override
    public void upstreamReadComplete() {
        if (response != null) {
            response.upstreamReadComplete();
        }
    }

    @Override
    public void upstreamWritable() {
        readGuest();
    }

    @Override
    public void upstreamGone(String reason) {
        if (phase != Phase.CARRYING) {
            return;
        }
        Upstream lost = upstream;
        upstream = null;
        boolean isStale = lost != null && lost.isReused() && mayRetry && isIdempotent();
        if (isStale && isRequestComplete && pending.isEmpty()) {
            // The connection had been idle and its end crossed our request: RFC 9110 §9.2.2 lets us ask again.
            mayRetry = false;
            response = null;
            pending.add(LastHttpContent.EMPTY_LAST_CONTENT);
            phase = Phase.WAITING;
            timer.stop();
            findUpstream();
            return;
        }
        if (response == null || !response.isUnderWay()) {
            fail(Refusal.of(502, "upstream_failed", reason, "try again"));
        } else {
            response.cutShort();
        }
    }

    private boolean isIdempotent() {
        return switch (request().method()) {
            case "GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE" -> true;
            default -> false;
        };
    }

    // ---------------------------------------------------------------- the end

    /// The response is complete and written, and it is on record.
    void responded(boolean isUpstreamReusable, boolean keepsGuest) {
        Upstream used = upstream;
        upstream = null;
        if (used != null) {
            if (isUpstreamReusable && isRequestComplete) {
                used.release();
            } else {
                used.discard();
            }
        }
        boolean mayGoOn = isRequestComplete && keepsGuest;
        over();
        guest.answered(mayGoOn);
    }

    /// From here on bytes pass as they are, and the exchange is over when one of the two sides is.
    void becomeTunnel(Upstream to, Deque<HttpContent> early) {
        Tunnel tunnel = new Tunnel(
                guest.channel(),
                to.channel(),
                (sent, received, frames) -> stage.recorder()
                        .record(() -> evidence.rows(new Evidence.Ending(
                                Outcome.ALLOWED,
                                OptionalInt.of(HttpResponseStatus.SWITCHING_PROTOCOLS.code()),
                                sent,
                                received,
                                Optional.empty(),
                                Optional.of(frames),
                                true,
                                false))));
        upstream = null;
        over();
        guest.becomeTunnel(tunnel);
        tunnel.start(early);
    }

    /// The answer was cut short, after its head had left.
    void aborted() {
        discardUpstream();
        over();
        guest.abort();
    }

    /// We answer in the upstream's place, because of what was decided.
    void block(Evaluation evaluation, String what) {
        answer(Refusal.blocked(evaluation, what), "block", Outcome.DENIED);
    }

    /// Whether the guest waits to be told that it may send the body.
    boolean awaitsContinue() {
        return HttpUtil.is100ContinueExpected(received) && !sentContinue;
    }

    /// Our own mistake ends this exchange, visibly, and no other.
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException bug) {
            LOG.error("an exchange failed", bug);
            if (response != null && response.isUnderWay()) {
                response.cutShort();
            } else if (event != null) {
                fail(Refusal.of(500, "internal_error", "the network engine failed", "report this with process.log"));
            } else {
                guest.abort();
            }
        }
    }

    void malformedResponse() {
        fail(Refusal.of(502, "upstream_failed", "the upstream's answer is malformed", "try another host"));
    }

    private void fail(Refusal refusal) {
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
        discardUpstream();
        pending.forEach(HttpContent::release);
        pending.clear();
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
        boolean mayGoOn = isRequestComplete && isReadable && (guest.isHttp2() || HttpUtil.isKeepAlive(received));
        if (!guest.isHttp2()) {
            HttpUtil.setKeepAlive(own.headers(), received.protocolVersion(), mayGoOn);
        }
        guest.channel().writeAndFlush(own);
        over();
        guest.answered(mayGoOn);
    }

    CompletableFuture<Void> record(Outcome outcome, OptionalInt status) {
        if (isRecorded) {
            return CompletableFuture.completedFuture(null);
        }
        isRecorded = true;
        long sent = requestBody == null ? 0 : requestBody.bytes();
        long back = response == null ? 0 : response.bytes();
        stage.metrics().requestEnded(guest.isHttp2() ? "h2" : "h1", outcome.wireName(), sent, back);
        Optional<BodyWatch> asked = Optional.ofNullable(requestBody);
        Optional<ResponseFlow> flow = Optional.ofNullable(response);
        return stage.recorder()
                .record(() -> evidence.rows(new Evidence.Ending(
                        outcome,
                        status,
                        sent,
                        back,
                        asked.flatMap(BodyWatch::previewText),
                        flow.flatMap(ResponseFlow::previewText),
                        false,
                        flow.map(ResponseFlow::isModelAnswered).orElse(false))));
    }

    private void over() {
        phase = Phase.OVER;
        timer.stop();
        pending.forEach(HttpContent::release);
        pending.clear();
        closeWatches();
    }

    private void closeWatches() {
        if (requestBody != null) {
            requestBody.close();
        }
        if (response != null) {
            response.close();
        }
    }

    private void discardUpstream() {
        if (upstream != null) {
            upstream.discard();
            upstream = null;
        }
    }

    private void limit(Duration time, String reason) {
        timer.within(time, () -> fail(Refusal.of(504, "timeout", reason, "try again later")));
    }

    /// Once the response is under way there is nobody to tell but by cutting it short.
    private void fellSilent() {
        if (response != null && response.isUnderWay()) {
            response.cutShort();
        } else {
            fail(Refusal.of(504, "timeout", "the upstream fell silent", "try again later"));
        }
    }

    // ---------------------------------------------------------------- what is known by now

    private SecurityEvent.HttpRequest request() {
        return Objects.requireNonNull(event, "the head was parsed first");
    }

    private RequestHead parsedHead() {
        return Objects.requireNonNull(head, "the head was parsed first");
    }

    private BodyWatch collecting() {
        return Objects.requireNonNull(requestBody, "the head was parsed first");
    }
}
