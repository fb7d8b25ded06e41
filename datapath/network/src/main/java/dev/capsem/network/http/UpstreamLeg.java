package dev.capsem.network.http;

import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.exchange.http.Input;
import dev.capsem.exchange.http.Refusal;
import dev.capsem.exchange.http.UpstreamTarget;
import dev.capsem.network.address.AddressLiterals;
import dev.capsem.network.address.Resolution;
import dev.capsem.network.http.body.BodyChunk;
import dev.capsem.network.http.head.HeadRewrite;
import dev.capsem.network.http.head.RequestHead;
import dev.capsem.network.http.upstream.Upstream;
import dev.capsem.network.http.upstream.UpstreamEvents;
import dev.capsem.network.http.upstream.UpstreamFailure;
import dev.capsem.network.http.upstream.UpstreamOrigin;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One exchange's way to its upstream: finds it, connects to it, and tells the exchange what it does. Decides nothing.
@SuppressWarnings("FutureReturnValueIgnored")
final class UpstreamLeg implements UpstreamEvents {
    private static final Input UPSTREAM_READ = new Input.UpstreamRead();

    private final Stage stage;
    private final EventLoop loop;
    private final boolean isGuestHttp2;
    private final ExchangeTimer timer;
    private final Consumer<Input> told;

    private @Nullable UpstreamOrigin origin;
    private @Nullable Upstream upstream;
    private @Nullable HttpResponse responseHead;

    UpstreamLeg(Stage stage, EventLoop loop, boolean isGuestHttp2, ExchangeTimer timer, Consumer<Input> told) {
        this.stage = stage;
        this.loop = loop;
        this.isGuestHttp2 = isGuestHttp2;
        this.timer = timer;
        this.told = told;
    }

    // ---------------------------------------------------------------- what it does

    @Override
    public void responseHead(HttpResponse came) {
        int status = came.status().code();
        boolean isInterim = status < 200 && status != HttpResponseStatus.SWITCHING_PROTOCOLS.code();
        if (responseHead == null || responseHead.status().code() < 200) {
            responseHead = came;
        }
        Input input;
        try {
            input = new Input.ResponseHead(
                    status,
                    isInterim ? Headers.NONE : RequestHead.headers(came.headers()),
                    came instanceof FullHttpResponse,
                    HttpUtil.getContentLength(came, -1L),
                    HttpUtil.isKeepAlive(came));
        } catch (IllegalArgumentException unfit) {
            input = new Input.ResponseUnfit();
        }
        told.accept(input);
    }

    @Override
    public void responseContent(HttpContent content) {
        timer.progressed();
        told.accept(new Input.ResponseBytes(new BodyChunk(content)));
    }

    @Override
    public void upstreamReadComplete() {
        told.accept(UPSTREAM_READ);
    }

    @Override
    public void upstreamWritable() {
        told.accept(new Input.UpstreamWritable());
    }

    @Override
    public void upstreamGone(String reason) {
        told.accept(new Input.UpstreamGone(reason));
    }

    // ---------------------------------------------------------------- what the exchange asks for

    void locate(SecurityEvent.HttpRequest request, boolean mayReuse) {
        UpstreamOrigin to =
                UpstreamOrigin.of(request, isGuestHttp2, stage.proxy().get());
        origin = to;
        Optional<UpstreamTarget> open = mayReuse ? stage.pools().apply(loop).openTarget(to) : Optional.empty();
        Optional<UpstreamTarget> known =
                open.or(() -> AddressLiterals.parse(to.host()).map(UpstreamTarget.At::new));
        if (known.isPresent()) {
            told.accept(new Input.Located(List.of(known.get())));
        } else {
            stage.resolver().resolve(to.host()).thenAcceptAsync(found -> resolved(to, found), loop);
        }
    }

    private void resolved(UpstreamOrigin to, Resolution found) {
        told.accept(
                switch (found) {
                    case Resolution.Addresses(List<InetAddress> addresses) ->
                        new Input.Located(addresses.stream()
                                .<UpstreamTarget>map(UpstreamTarget.At::new)
                                .toList());
                    case Resolution.Failed(String reason) ->
                        new Input.NotLocated(reason, to.via().isPresent());
                });
    }

    void connect(UpstreamTarget target, boolean mayReuse) {
        stage.pools()
                .apply(loop)
                .acquire(Objects.requireNonNull(origin), target, mayReuse, this)
                .addListener((Future<Upstream> done) -> {
                    if (done.isSuccess()) {
                        Upstream found = done.getNow();
                        upstream = found;
                        told.accept(new Input.Connected(
                                found.isHttp2(),
                                found.isReused(),
                                found.origin().forwarder().isPresent()));
                    } else {
                        told.accept(notConnected(done.cause()));
                    }
                });
    }

    private static Input notConnected(Throwable cause) {
        return cause instanceof UpstreamFailure failure
                ? new Input.NotConnected(failure.refusal(), failure.isUnreachable())
                : new Input.NotConnected(
                        Refusal.of(502, "upstream_failed", "no connection to the upstream", "try again"), false);
    }

    void send(HttpRequest outgoing) {
        Upstream to = connected();
        to.origin().forwarder().ifPresent(proxy -> HeadRewrite.forForwarder(outgoing, to.origin(), proxy));
        to.channel().write(outgoing).addListener(done -> {
            if (!done.isSuccess() && to.equals(upstream)) {
                to.handler().detach();
                told.accept(new Input.UpstreamGone("the request could not be sent"));
                to.channel().close();
            }
        });
    }

    Channel channel() {
        return connected().channel();
    }

    void flush() {
        if (upstream != null) {
            upstream.channel().flush();
        }
    }

    void read() {
        if (upstream != null) {
            upstream.channel().read();
        }
    }

    boolean isWritable() {
        return upstream != null && upstream.channel().isWritable();
    }

    void release() {
        Upstream used = connected();
        upstream = null;
        used.release();
    }

    void close() {
        Upstream used = upstream;
        upstream = null;
        if (used != null) {
            used.discard();
        }
    }

    /// Somebody else uses the connection from now on.
    Channel handOver() {
        Channel given = connected().channel();
        upstream = null;
        return given;
    }

    /// The head that came last; once it is no interim one, the response's.
    HttpResponse head() {
        return Objects.requireNonNull(responseHead, "the head came first");
    }

    private Upstream connected() {
        return Objects.requireNonNull(upstream, "there is a connection");
    }
}
