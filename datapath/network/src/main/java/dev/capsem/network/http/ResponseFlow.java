package dev.capsem.network.http;

import dev.capsem.events.Correlation;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The way back: a response's head is judged, then its body streams to the guest as it comes, byte for byte; only if
/// a rule must read it first is it held.
@SuppressWarnings("FutureReturnValueIgnored")
final class ResponseFlow {
    private enum State {
        AWAITED,
        /// Held until it is complete, or larger than what is inspected.
        HELD,
        /// Waiting for a verdict.
        JUDGED,
        STREAMING,
        OVER
    }

    private final Exchange exchange;
    private final Stage stage;
    private final GuestLeg guest;
    private final Evidence evidence;
    private final Upstream upstream;
    private final SecurityEvent.HttpRequest request;
    private final HttpRequest received;
    private final ModelAnswer model;
    private final Judge judge;
    private final boolean isHttp10;

    private State state = State.AWAITED;
    private final Deque<HttpContent> held = new ArrayDeque<>();
    private boolean isReading = true;
    private boolean isComplete;
    private boolean keepsGuest;
    /// Whether the upstream ended the message with its head, as errors of gRPC are told: then so do we.
    private boolean endsWithHead;
    private @Nullable HttpResponse head;
    /// A head that leaves together with the end.
    private @Nullable HttpResponse unsent;
    private SecurityEvent.@Nullable HttpResponse event;
    private @Nullable Evaluation verdict;
    private @Nullable BodyWatch body;
    private @Nullable Holding holding;
    private Optional<Headers> changedHeaders = Optional.empty();
    private Optional<Body> replacement = Optional.empty();

    ResponseFlow(
            Exchange exchange,
            Stage stage,
            GuestLeg guest,
            Evidence evidence,
            Upstream upstream,
            SecurityEvent.HttpRequest request,
            HttpRequest received,
            ModelAnswer model,
            Judge judge) {
        this.exchange = exchange;
        this.stage = stage;
        this.guest = guest;
        this.evidence = evidence;
        this.upstream = upstream;
        this.request = request;
        this.received = received;
        this.model = model;
        this.judge = judge;
        this.isHttp10 = received.protocolVersion().equals(HttpVersion.HTTP_1_0);
    }

    // ---------------------------------------------------------------- what comes from the upstream

    void head(HttpResponse came) {
        int code = came.status().code();
        boolean isSwitch = code == 101 && isUpgrade();
        if (code < 200 && !isSwitch) {
            interim(came);
            return;
        }
        Headers headers;
        SecurityEvent.HttpResponse asked;
        try {
            headers = RequestHead.headers(came.headers());
            asked = new SecurityEvent.HttpResponse(
                    envelope(),
                    request,
                    code,
                    headers,
                    hasNoBody(code) ? Body.NONE : new Body.Unread(headers.value("content-type")));
        } catch (IllegalArgumentException unfit) {
            exchange.malformedResponse();
            return;
        }
        head = came;
        event = asked;
        endsWithHead = came instanceof FullHttpResponse
                || (!upstream.isHttp2() && (hasNoBody(code) || HttpUtil.getContentLength(came, -1L) == 0));
        body = model.watch(code, headers, stage.metrics());
        evidence.responded(headers);
        if (!hasNoBody(code) && (model.mustBeHeld(judge, envelope(), headers) || judge.needsBody(asked))) {
            hold(body, headers);
        } else {
            judge(asked);
        }
    }

    private void hold(BodyWatch watch, Headers headers) {
        EventLoop loop = guest.channel().eventLoop();
        watch.keepAll();
        state = State.HELD;
        holding = new Holding(stage.responsesHeld(), loop, watch, holder);
        holding.expect(HttpUtil.getContentLength(head(), -1L));
        if (!model.isHeld() && HeadRewrite.isEventStream(headers)) {
            loop.schedule(this::heldTooLong, stage.timeouts().heldStream().toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private final Holding.Holder holder = new Holding.Holder() {
        @Override
        public void take(HttpContent content) {
            exchange.guarded(() -> taken(content));
        }

        @Override
        public void goOn() {
            readUpstream();
        }

        @Override
        public void noRoom() {
            refuseHeld(Evaluation.blocked(
                    BlockCause.INSPECTION_FULL, stage.responsesHeld().fullBecause()));
        }
    };

    private void heldTooLong() {
        refuseHeld(Evaluation.blocked(
                BlockCause.BODY_UNREAD,
                "a rule must read all of this stream of events, and it did not end within "
                        + stage.timeouts().heldStream().toSeconds() + " s"));
    }

    private void refuseHeld(Evaluation refused) {
        if (state == State.HELD) {
            state = State.JUDGED;
            evidence.judgedResponse(event(), refused);
            exchange.block(refused, "response");
        }
    }

    private void interim(HttpResponse came) {
        boolean isContinue = came.status().code() == 100;
        if (isHttp10 || came.status().code() == 101 || (isContinue && !exchange.awaitsContinue())) {
            return;
        }
        HttpResponse copy = HeadRewrite.response(came, Optional.empty(), true, guest.isHttp2(), false);
        guest.channel().writeAndFlush(HeadRewrite.whole(copy, LastHttpContent.EMPTY_LAST_CONTENT));
    }

    void content(HttpContent content) {
        if (holding != null) {
            holding.came(content);
        } else {
            taken(content);
        }
    }

    private void taken(HttpContent content) {
        if (state == State.OVER || body == null) {
            content.release();
            return;
        }
        if (!isUpgrade() || !isSwitching()) {
            body.sees(content.content());
            if (content instanceof LastHttpContent) {
                body.ended();
            }
        }
        if (body.isUndecodable()) {
            model.undecodable();
        }
        isComplete |= content instanceof LastHttpContent;
        if (state == State.STREAMING) {
            forward(content);
            return;
        }
        held.add(content);
        if (state == State.HELD && (isComplete || body.isBeyondInspection())) {
            if (holding != null) {
                holding.collected();
            }
            judge(event().withBody(body.body()));
        }
    }

    void upstreamReadComplete() {
        isReading = false;
        if (state == State.STREAMING) {
            guest.channel().flush();
        }
        readUpstream();
    }

    void guestWritable() {
        readUpstream();
    }

    /// No faster than the guest reads.
    private void readUpstream() {
        boolean wants = switch (state) {
            case AWAITED -> true;
            case HELD -> holding == null || !holding.isWaiting();
            case STREAMING -> guest.channel().isWritable();
            case JUDGED, OVER -> false;
        };
        if (wants && !isReading && !isComplete) {
            isReading = true;
            upstream.channel().read();
        }
    }

    // ---------------------------------------------------------------- the verdict

    private void judge(SecurityEvent.HttpResponse asked) {
        state = State.JUDGED;
        judge.judge(asked, raw -> {
            if (state == State.OVER) {
                return;
            }
            Evaluation evaluation = Refusal.naming(raw, this::trouble);
            evidence.judgedAnswer(asked, evaluation);
            verdict = evaluation;
            switch (evaluation.outcome()) {
                case Evaluation.Allowed _ -> judgeModel();
                case Evaluation.Rewritten(SecurityEvent changed, var _)
                when changed instanceof SecurityEvent.HttpResponse rewritten && !isSwitching() -> {
                    if (!rewritten.headers().equals(asked.headers())) {
                        changedHeaders = Optional.of(rewritten.headers());
                        evidence.responded(rewritten.headers());
                    }
                    if (!rewritten.body().equals(asked.body())) {
                        replacement = Optional.of(rewritten.body());
                    }
                    judgeModel();
                }
                case Evaluation.Rewritten _, Evaluation.Blocked _, Evaluation.Asked _ ->
                    exchange.block(evaluation, "response");
            }
        });
    }

    private void judgeModel() {
        if (!model.isHeld()) {
            begin();
            return;
        }
        SecurityEvent.ModelResponse understood = understood();
        judge.judge(understood, raw -> {
            if (state == State.OVER) {
                return;
            }
            Evaluation evaluation = Refusal.naming(raw, this::trouble);
            evidence.judgedResponse(understood, evaluation);
            if (evaluation.outcome() instanceof Evaluation.Allowed) {
                begin();
            } else {
                exchange.block(evaluation, "model response");
            }
        });
    }

    private Optional<String> trouble() {
        return Optional.ofNullable(body).flatMap(BodyWatch::trouble);
    }

    private SecurityEvent.ModelResponse understood() {
        return model.understood(envelope(), body != null && body.isBeyondInspection());
    }

    // ---------------------------------------------------------------- what goes to the guest

    private void begin() {
        if (isSwitching()) {
            becomeTunnel();
            return;
        }
        state = State.STREAMING;
        boolean hasNoBody = hasNoBody(head().status().code());
        HttpResponse outgoing = HeadRewrite.response(head(), changedHeaders, hasNoBody, guest.isHttp2(), isHttp10);
        if (replacement.isPresent()) {
            ByteBuf bytes = HeadRewrite.replaceBody(outgoing.headers(), replacement.get());
            held.forEach(HttpContent::release);
            held.clear();
            held.add(new DefaultLastHttpContent(bytes));
            isComplete = true;
        }
        if (!guest.isHttp2()) {
            boolean isDelimited = hasNoBody
                    || HttpUtil.isTransferEncodingChunked(outgoing)
                    || outgoing.headers().contains(HttpHeaderNames.CONTENT_LENGTH);
            // A guest that did not send all of its request may send the rest, or may not: no other request can follow.
            keepsGuest = isDelimited && HttpUtil.isKeepAlive(received) && exchange.isRequestComplete();
            HttpUtil.setKeepAlive(outgoing.headers(), received.protocolVersion(), keepsGuest);
        }
        if (endsWithHead && replacement.isEmpty()) {
            unsent = outgoing;
        } else {
            guest.channel().write(outgoing);
        }
        for (HttpContent content = held.poll(); content != null; content = held.poll()) {
            forward(content);
        }
        if (state == State.STREAMING && !isReading) {
            // Otherwise more of the same read may follow, and its end flushes: one write for head and body.
            guest.channel().flush();
            readUpstream();
        }
    }

    private void forward(HttpContent content) {
        if (content instanceof LastHttpContent last) {
            finish(last);
        } else {
            leaves(guest.channel().write(content));
        }
    }

    /// With the last of what was held, the room for it is on its way back.
    private void leaves(ChannelFuture written) {
        if (holding != null && held.isEmpty()) {
            holding.leaves(written);
            holding.forgets();
        }
    }

    private void finish(LastHttpContent last) {
        if (model.isUnjudged()) {
            SecurityEvent.ModelResponse understood = understood();
            Evaluation evaluation = stage.gate().evaluate(understood);
            evidence.judgedResponse(understood, evaluation);
            if (!(evaluation.outcome() instanceof Evaluation.Allowed)) {
                // Too late to take back what was read along, but not to keep the guest from taking it for whole.
                last.release();
                cutShort();
                return;
            }
        }
        boolean mustWait = evidence.mustWait();
        state = State.OVER;
        var recorded = exchange.record(Outcome.ALLOWED, status());
        if (mustWait) {
            recorded.thenRunAsync(() -> end(last), guest.channel().eventLoop());
        } else {
            end(last);
        }
    }

    private void end(LastHttpContent last) {
        if (exchange.isOver()) {
            last.release();
            return;
        }
        leaves(guest.channel().writeAndFlush(unsent == null ? last : HeadRewrite.whole(unsent, last)));
        exchange.responded(!upstream.isHttp2() && HttpUtil.isKeepAlive(head()), keepsGuest || guest.isHttp2());
    }

    /// The upstream ended, or fell silent, in the middle.
    void cutShort() {
        state = State.OVER;
        exchange.record(Outcome.ERROR, status());
        exchange.aborted();
    }

    private void becomeTunnel() {
        Optional<MessagePolicy> policy = MessagePolicy.of(
                stage,
                evidence,
                new MessagePolicy.Upgrade(request, evidence.verdict(), event(), verdict()),
                guest.channel().eventLoop());
        if (policy.isPresent() && head().headers().contains(HttpHeaderNames.SEC_WEBSOCKET_EXTENSIONS)) {
            exchange.fail(MessagePolicy.EXTENDED);
            return;
        }
        state = State.OVER;
        FullHttpResponse accepted =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, head().status(), Unpooled.EMPTY_BUFFER);
        accepted.headers().set(head().headers());
        Deque<HttpContent> early = new ArrayDeque<>(held);
        held.clear();
        guest.channel().writeAndFlush(accepted);
        exchange.becomeTunnel(upstream, early, policy);
    }

    // ---------------------------------------------------------------- what is known by now

    /// Whether all of it came: what becomes of the upstream now is of no matter.
    boolean isComplete() {
        return isComplete;
    }

    /// Whether the guest has seen a part of it, so that no other answer can be given.
    boolean isUnderWay() {
        return state == State.STREAMING || (state == State.OVER && head != null);
    }

    void guestGone() {
        state = State.OVER;
    }

    OptionalInt status() {
        return head == null ? OptionalInt.empty() : OptionalInt.of(head.status().code());
    }

    long bytes() {
        return body == null ? 0 : body.bytes();
    }

    Optional<String> previewText() {
        return Optional.ofNullable(body).flatMap(BodyWatch::previewText);
    }

    long parsedEvents() {
        return model.parsedEvents();
    }

    boolean isModelAnswered() {
        return model.isModelCall() && head != null;
    }

    void close() {
        held.forEach(HttpContent::release);
        held.clear();
        state = State.OVER;
        if (holding != null) {
            holding.close();
        }
        if (body != null) {
            body.close();
        }
    }

    private boolean hasNoBody(int code) {
        return request.method().equals("HEAD") || code == 204 || code == 304 || code == 101;
    }

    private boolean isUpgrade() {
        return request.scheme().startsWith("ws");
    }

    private boolean isSwitching() {
        return isUpgrade() && head().status().code() == 101;
    }

    private Envelope envelope() {
        return stage.envelopes()
                .inline(Correlation.NONE.withParent(request.envelope().id()))
                .withCaller(request.envelope().caller());
    }

    private HttpResponse head() {
        return Objects.requireNonNull(head, "the head came first");
    }

    private Evaluation verdict() {
        return Objects.requireNonNull(verdict, "the head was judged first");
    }

    private SecurityEvent.HttpResponse event() {
        return Objects.requireNonNull(event, "the head came first");
    }
}
