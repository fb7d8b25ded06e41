package dev.capsem.network.http;

import dev.capsem.network.http.codec.BadRequest;
import dev.capsem.network.http.codec.RequestDecoder;
import dev.capsem.network.http.codec.ResponseEncoder;
import dev.capsem.network.http.head.Authority;
import dev.capsem.network.http.head.ConnectionFacts;
import dev.capsem.network.http.head.Refused;
import dev.capsem.network.http.limit.Limits;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpMessage;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The end of a guest's pipeline, for an HTTP/1 connection or for one HTTP/2 stream: makes an exchange of each request.
@SuppressWarnings("FutureReturnValueIgnored")
final class GuestHandler extends ChannelInboundHandlerAdapter implements GuestLeg {
    private static final Logger LOG = LoggerFactory.getLogger(GuestHandler.class);

    private final Stage stage;
    private final GuestPipeline pipelines;
    private final ConnectionFacts facts;
    /// Absent on HTTP/2, whose streams end with their exchange.
    private final Optional<Http1> http1;

    private Optional<ExchangeShell> current = Optional.empty();
    private Optional<ConnectTo> connect = Optional.empty();
    private Optional<ScheduledFuture<?>> idle = Optional.empty();
    private boolean isDraining;
    private boolean isInputOver;
    private boolean hasRequested;
    private boolean isBroken;
    private ChannelHandlerContext context;

    /// The two codecs of an HTTP/1 connection.
    record Http1(RequestDecoder decoder, ResponseEncoder encoder) {}

    /// A CONNECT whose request is not complete yet.
    private record ConnectTo(Authority to, int port) {}

    @SuppressWarnings("NullAway.Init") // Netty gives the context before anything else happens.
    GuestHandler(Stage stage, GuestPipeline pipelines, ConnectionFacts facts, Optional<Http1> http1) {
        this.stage = stage;
        this.pipelines = pipelines;
        this.facts = facts;
        this.http1 = http1;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        ctx.channel().config().setAutoRead(false);
        waitForRequest(stage.timeouts().requestHead());
        if (facts.isTls() || http1.isEmpty()) {
            ctx.read();
        }
        // A plain connection's first bytes are there already, and its end may be right behind them.
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof BadRequest bad) {
            broken(bad);
            return;
        }
        if (message instanceof HttpRequest request) {
            if (request.decoderResult().isFailure()) {
                ReferenceCountUtil.release(message);
                broken(new BadRequest(400, "the request is malformed"));
                return;
            }
            begin(request);
        }
        if (message instanceof FullHttpMessage whole) {
            // As content it must not bring its head along a second time.
            content(new DefaultLastHttpContent(whole.content(), whole.trailingHeaders()));
        } else if (message instanceof HttpContent content) {
            content(content);
        } else if (!(message instanceof HttpRequest)) {
            ReferenceCountUtil.release(message);
        }
    }

    private void begin(HttpRequest request) {
        hasRequested = true;
        stopWaiting();
        http1.ifPresent(codecs -> codecs.encoder().answers(request.method().name()));
        if (request.method().equals(HttpMethod.CONNECT)) {
            Optional<Authority> to =
                    Authority.parse(request.uri()).filter(found -> found.port().isPresent());
            boolean mayConnect = http1.isPresent() && facts.name().isEmpty() && !facts.isTls();
            if (mayConnect && to.isPresent() && HttpUtil.getContentLength(request, 0L) == 0) {
                connect = Optional.of(new ConnectTo(to.get(), to.get().port().getAsInt()));
                return;
            }
        }
        ExchangeShell exchange = new ExchangeShell(stage, this, facts, request);
        current = Optional.of(exchange);
        if (http1.isEmpty() && bytes(request) > Limits.HEADER_BLOCK_BYTES) {
            exchange.requestUnreadable(new BadRequest(431, "the header block is larger than 64 KiB"));
        } else {
            exchange.start();
        }
    }

    /// Of a head, as HTTP/1 would write it.
    private static long bytes(HttpRequest head) {
        long bytes = (long) head.method().name().length() + head.uri().length();
        for (Map.Entry<String, String> field : head.headers()) {
            bytes += field.getKey().length() + field.getValue().length() + 4;
        }
        return bytes;
    }

    private void content(HttpContent content) {
        boolean isLast = content instanceof LastHttpContent;
        if (connect.isPresent()) {
            content.release();
            if (isLast) {
                connected(connect.get());
            }
        } else if (current.isPresent()) {
            current.get().requestContent(content);
        } else {
            content.release();
            if (isLast && isDraining) {
                context.close();
            }
        }
    }

    private void broken(BadRequest bad) {
        isBroken = true;
        hasRequested = true;
        stopWaiting();
        if (current.isPresent()) {
            current.get().requestBroken(bad);
            return;
        }
        ExchangeShell exchange = new ExchangeShell(stage, this, facts, Refused.nothing());
        current = Optional.of(exchange);
        exchange.requestUnreadable(bad);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (current.isPresent()) {
            current.get().guestReadComplete();
        } else if (!isInputOver) {
            ctx.read();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (ctx.channel().isWritable()) {
            current.ifPresent(ExchangeShell::guestWritable);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof Http2ResetFrame) {
            gone();
        } else if (event instanceof ChannelInputShutdownEvent) {
            // The guest has said all it will, but it still listens.
            isInputOver = true;
            if (current.isEmpty() && isWithinHead()) {
                broken(new BadRequest(400, "the connection ended within the request's head"));
            } else if (current.isEmpty() || !current.get().isRequestComplete()) {
                ctx.close();
            } else {
                ExchangeShell waiting = current.get();
                waiting.guestInputOver();
                if (facts.isTls()) {
                    ctx.executor()
                            .schedule(() -> leaveUnanswered(waiting), Limits.HALF_CLOSED_SECONDS, TimeUnit.SECONDS);
                }
            }
        } else if (event instanceof SslCloseCompletionEvent && !isDraining) {
            // It said so in TLS, and nothing can be written any more.
            closeBelowTls();
        }
    }

    /// Once an answer is under way, writing it shows whether anybody is there.
    private void leaveUnanswered(ExchangeShell waiting) {
        if (current.filter(now -> now == waiting && !now.isAnswered()).isPresent()) {
            closeBelowTls();
        }
    }

    /// Without a farewell in TLS: there is nobody to read it.
    private void closeBelowTls() {
        ChannelHandlerContext tls = context.pipeline().context(SslHandler.class);
        (tls == null ? context : tls).close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        stopWaiting();
        if (current.isEmpty() && http1.isPresent() && (isWithinHead() || !hasRequested)) {
            hasRequested = true;
            pipelines.refused(
                    facts,
                    facts.connectionType(),
                    isWithinHead()
                            ? "the connection ended within a request's head"
                            : "the connection ended without a request");
        }
        gone();
    }

    private boolean isWithinHead() {
        return !isBroken && http1.map(codecs -> codecs.decoder().isWithinHead()).orElse(false);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof Error) {
            // Classes that do not fit together, or too little memory. The guest only sees a closed connection.
            LOG.error("a connection of the guest failed", cause);
        }
        if (http1.isEmpty() && current.isEmpty()) {
            // The codec refused it before it became a request.
            pipelines.refused(facts, facts.connectionType(), "malformed HTTP/2 request");
        }
        gone();
        ctx.close();
    }

    private void gone() {
        Optional<ExchangeShell> left = current;
        current = Optional.empty();
        left.ifPresent(ExchangeShell::guestGone);
    }

    // ---------------------------------------------------------------- what the exchange asks for

    @Override
    public Channel channel() {
        return context.channel();
    }

    @Override
    public boolean isHttp2() {
        return http1.isEmpty();
    }

    @Override
    public void read() {
        if (!isInputOver) {
            context.read();
        }
    }

    @Override
    public void answered(boolean mayGoOn) {
        current = Optional.empty();
        if (http1.isEmpty()) {
            if (!mayGoOn) {
                // RFC 9113 §8.1: the answer is complete, the rest of the request is not needed.
                context.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.NO_ERROR))
                        .addListener(ChannelFutureListener.CLOSE);
            }
            return;
        }
        if (mayGoOn && !isInputOver) {
            next(http1.get());
        } else {
            drainAndClose();
        }
    }

    private void next(Http1 codecs) {
        waitForRequest(stage.timeouts().guestIdle());
        // Not from within the decoder: the answer may have been given while it was still handing out the request.
        context.executor().execute(() -> {
            ChannelHandlerContext decoder = context.pipeline().context(codecs.decoder());
            if (decoder == null) {
                // The guest has left in the meantime.
                return;
            }
            try {
                codecs.decoder().next(decoder);
            } catch (Exception failure) {
                context.fireExceptionCaught(failure);
                return;
            }
            if (current.isEmpty() && connect.isEmpty()) {
                context.read();
            } else {
                current.ifPresent(ExchangeShell::guestReadComplete);
            }
        });
    }

    /// Closing at once could make the guest's stack throw our answer away while it still sends.
    private void drainAndClose() {
        isDraining = true;
        context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(_ -> {
            if (isInputOver || !context.channel().isActive()) {
                context.close();
            } else {
                endOutput(context.channel());
                context.read();
                context.executor().schedule(() -> context.close(), Limits.DRAINED_SECONDS, TimeUnit.SECONDS);
            }
        });
    }

    /// The guest need not wait for us to have read what it still sends.
    static void endOutput(Channel channel) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (tls != null) {
            tls.closeOutbound();
        } else if (channel instanceof DuplexChannel duplex) {
            duplex.shutdownOutput();
        }
    }

    @Override
    public void abort() {
        current = Optional.empty();
        context.flush();
        context.close();
    }

    @Override
    public void becomeTunnel(Tunnel tunnel) {
        current = Optional.empty();
        ChannelPipeline pipeline = context.pipeline();
        pipeline.replace(this, null, tunnel.guestEnd());
        http1.ifPresent(codecs -> {
            pipeline.remove(codecs.encoder());
            pipeline.remove(codecs.decoder());
        });
    }

    private void connected(ConnectTo to) {
        connect = Optional.empty();
        ChannelPipeline pipeline = context.pipeline();
        context.writeAndFlush(new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, new HttpResponseStatus(200, "Connection established"), Unpooled.EMPTY_BUFFER));
        Http1 codecs = http1.orElseThrow();
        pipelines.insideConnect(context.channel(), facts.tunnel(to.to(), to.port()));
        context.executor().execute(() -> {
            pipeline.remove(this);
            pipeline.remove(codecs.encoder());
            pipeline.remove(codecs.decoder());
            context.channel().config().setAutoRead(true);
        });
    }

    // ---------------------------------------------------------------- time

    private void waitForRequest(Duration time) {
        if (http1.isPresent()) {
            stopWaiting();
            idle = Optional.of(context.executor().schedule(() -> waited(time), time.toMillis(), TimeUnit.MILLISECONDS));
        }
    }

    private void waited(Duration time) {
        if (isWithinHead()) {
            broken(new BadRequest(408, "the request's head did not arrive within " + time.toSeconds() + " s"));
            return;
        }
        if (!hasRequested) {
            hasRequested = true;
            pipelines.refused(facts, facts.connectionType(), "no request came within " + time.toSeconds() + " s");
        }
        context.close();
    }

    private void stopWaiting() {
        idle.ifPresent(timer -> timer.cancel(false));
        idle = Optional.empty();
    }
}
