package dev.capsem.network.http;

import dev.capsem.events.security.Body;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.traffic.ModelTap;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A request that may leave, on its way to the upstream and back: finds the upstream, sends the request as it comes,
/// hands the answer to its [ResponseFlow], and asks again where an idle connection turned out to be dead.
@SuppressWarnings("FutureReturnValueIgnored")
final class Carriage implements UpstreamEvents, UpstreamSearch.Ended {
    private final Exchange exchange;
    private final Stage stage;
    private final GuestLeg guest;
    private final Judge judge;
    private final Evidence evidence;
    private final ExchangeTimer timer;
    private final RequestBody body;
    private final Load load;

    private SecurityEvent.HttpRequest request;
    private @Nullable Upstream upstream;
    private @Nullable ResponseFlow response;
    private boolean mayRetry = true;

    /// What is carried.
    ///
    /// @param received the head as the guest sent it
    /// @param keepsExpectation whether the upstream is still to be asked before the body is sent
    /// @param replacement what a rule put in place of the body
    record Load(
            HttpRequest received,
            RequestHead head,
            boolean keepsExpectation,
            Optional<Body> replacement,
            Optional<ModelTap> tap,
            Optional<SecurityEvent.ModelRequest> modelRequest) {}

    Carriage(
            Exchange exchange,
            Stage stage,
            GuestLeg guest,
            Judge judge,
            Evidence evidence,
            ExchangeTimer timer,
            RequestBody body,
            Load load,
            SecurityEvent.HttpRequest request) {
        this.exchange = exchange;
        this.stage = stage;
        this.guest = guest;
        this.judge = judge;
        this.evidence = evidence;
        this.timer = timer;
        this.body = body;
        this.load = load;
        this.request = request;
    }

    // ---------------------------------------------------------------- to the upstream

    void start() {
        exchange.limit(stage.timeouts().connect().multipliedBy(3), "no connection to the upstream in time");
        new UpstreamSearch(
                        stage,
                        guest.channel().eventLoop(),
                        judge,
                        evidence,
                        evidence.verdict(),
                        request,
                        Origin.of(request, guest.isHttp2(), stage.proxy().get()),
                        mayRetry,
                        this,
                        this)
                .start();
    }

    @Override
    public void connected(Upstream found, SecurityEvent.HttpRequest located) {
        exchange.guarded(() -> send(found, located));
    }

    private void send(Upstream found, SecurityEvent.HttpRequest located) {
        locate(located);
        if (!isAwaited()) {
            found.discard();
            return;
        }
        upstream = found;
        exchange.carries();
        response = new ResponseFlow(
                exchange,
                stage,
                guest,
                evidence,
                found,
                request,
                load.received(),
                new ModelAnswer(load.tap(), load.modelRequest()),
                judge);
        HttpRequest outgoing = HeadRewrite.request(
                load.received(), request, load.head().headers(), load.head(), load.keepsExpectation());
        if (load.head().isUpgrade() && MessagePolicy.isExpected(stage, request)) {
            // What an extension does to messages, rules could not see through.
            outgoing.headers().remove(HttpHeaderNames.SEC_WEBSOCKET_EXTENSIONS);
        }
        load.replacement().ifPresent(other -> body.replace(other, outgoing.headers()));
        found.origin().forwarder().ifPresent(proxy -> HeadRewrite.forForwarder(outgoing, found.origin(), proxy));
        found.channel().write(body.isEmpty() ? whole(outgoing) : outgoing).addListener(done -> {
            if (!done.isSuccess() && upstream != null) {
                found.handler().detach();
                upstreamGone("the request could not be sent");
                found.channel().close();
            }
        });
        sendBody();
        found.channel().flush();
        found.channel().read();
        exchange.limit(stage.timeouts().responseHead(), "the upstream did not answer in time");
        exchange.readGuest();
    }

    /// On HTTP/2 it ends with its head then: to some servers, what follows is a body even if it is empty.
    private static FullHttpRequest whole(HttpRequest head) {
        return new DefaultFullHttpRequest(
                head.protocolVersion(),
                head.method(),
                head.uri(),
                Unpooled.EMPTY_BUFFER,
                head.headers(),
                EmptyHttpHeaders.INSTANCE);
    }

    @Override
    public void blocked(SecurityEvent.HttpRequest located, Evaluation evaluation) {
        locate(located);
        evidence.judgedRequest(located, evaluation);
        exchange.block(evaluation, "address");
    }

    @Override
    public void failed(Refusal refusal) {
        exchange.fail(refusal);
    }

    @Override
    public boolean isAwaited() {
        return exchange.isWaiting();
    }

    private void locate(SecurityEvent.HttpRequest located) {
        request = located;
        exchange.located(located);
    }

    /// What came of the body since the last time.
    void sendBody() {
        if (upstream != null) {
            mayRetry &= !body.writeTo(upstream.channel());
        }
    }

    void flush() {
        if (upstream != null) {
            upstream.channel().flush();
        }
    }

    boolean isWritable() {
        return upstream != null && upstream.channel().isWritable();
    }

    // ---------------------------------------------------------------- from the upstream

    @Override
    public void responseHead(HttpResponse head) {
        mayRetry = false;
        boolean isForProxy = head.status().code() == 407
                && upstream != null
                && upstream.origin().forwarder().isPresent();
        if (isForProxy) {
            // Between the proxy and us: the guest has no business with it, nor with what the proxy calls itself.
            exchange.fail(ProxyTunnel.refused(407));
            return;
        }
        if (response != null) {
            if (head.status().code() >= 200) {
                timer.progressWithin(stage.timeouts().bodyIdle(), this::fellSilent);
            }
            response.head(head);
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
        exchange.readGuest();
    }

    @Override
    public void upstreamGone(String reason) {
        if (!exchange.isCarrying() || (response != null && response.isComplete())) {
            return;
        }
        Upstream lost = upstream;
        upstream = null;
        boolean isStale = lost != null && lost.isReused() && mayRetry && isIdempotent();
        if (isStale && body.isComplete() && body.hasNothingToSend()) {
            // The connection had been idle and its end crossed our request: RFC 9110 §9.2.2 lets us ask again.
            mayRetry = false;
            response = null;
            body.restart();
            exchange.waitsAgain();
            timer.stop();
            start();
            return;
        }
        evidence.failed(reason);
        if (!cutShortIfUnderWay()) {
            exchange.fail(Refusal.of(502, "upstream_failed", reason, "try again"));
        }
    }

    private boolean isIdempotent() {
        return switch (request.method()) {
            case "GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE" -> true;
            default -> false;
        };
    }

    /// Once the response is under way there is nobody to tell but by cutting it short.
    private void fellSilent() {
        evidence.failed("the upstream fell silent");
        if (!cutShortIfUnderWay()) {
            exchange.fail(Refusal.of(504, "timeout", "the upstream fell silent", "try again later"));
        }
    }

    // ---------------------------------------------------------------- the end

    /// @return whether the guest had seen a part of the response, so that no other answer could be given
    boolean cutShortIfUnderWay() {
        if (response == null || !response.isUnderWay()) {
            return false;
        }
        response.cutShort();
        return true;
    }

    /// The exchange is complete.
    void done(boolean isReusable) {
        Upstream used = upstream;
        upstream = null;
        if (used != null) {
            if (isReusable) {
                used.release();
            } else {
                used.discard();
            }
        }
    }

    /// The connection is in other hands.
    void handedOver() {
        upstream = null;
    }

    void discard() {
        if (upstream != null) {
            upstream.discard();
            upstream = null;
        }
    }

    Optional<ResponseFlow> response() {
        return Optional.ofNullable(response);
    }
}
