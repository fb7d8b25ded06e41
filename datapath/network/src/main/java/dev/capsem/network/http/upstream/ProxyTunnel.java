package dev.capsem.network.http.upstream;

import dev.capsem.exchange.http.Refusal;
import dev.capsem.network.http.limit.Limits;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Asks a proxy for a way to an origin (CONNECT, RFC 9110 §9.3.6) and leaves the pipeline as it found it.
@SuppressWarnings("FutureReturnValueIgnored")
public final class ProxyTunnel extends ChannelInboundHandlerAdapter {
    private final HttpClientCodec codec = new HttpClientCodec(4_096, Limits.HEADER_BLOCK_BYTES, 8_192);
    private final Runnable onOpen;
    private final Consumer<Refusal> onRefused;
    private boolean isAccepted;
    private boolean isOver;

    private ProxyTunnel(Runnable onOpen, Consumer<Refusal> onRefused) {
        this.onOpen = onOpen;
        this.onRefused = onRefused;
    }

    /// Requires: on the channel's loop; the channel is connected to the proxy.
    ///
    /// @param onOpen bytes now pass to the origin and back
    /// @param onRefused there is no way; said once at most, and never after `onOpen`
    public static void open(
            Channel channel,
            UpstreamOrigin origin,
            UpstreamProxy proxy,
            Duration patience,
            Runnable onOpen,
            Consumer<Refusal> onRefused) {
        ProxyTunnel tunnel = new ProxyTunnel(onOpen, onRefused);
        channel.pipeline().addLast(tunnel.codec, tunnel);
        DefaultFullHttpRequest connect = new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1, HttpMethod.CONNECT, origin.authority(), Unpooled.EMPTY_BUFFER);
        connect.headers().set(HttpHeaderNames.HOST, origin.authority());
        proxy.credentials()
                .ifPresent(known -> connect.headers().set(HttpHeaderNames.PROXY_AUTHORIZATION, known.header()));
        channel.writeAndFlush(connect);
        var impatience = channel.eventLoop()
                .schedule(
                        () -> tunnel.refuse(unreachable("the company's proxy did not answer in time")),
                        patience.toMillis(),
                        TimeUnit.MILLISECONDS);
        channel.closeFuture().addListener(_ -> impatience.cancel(false));
    }

    /// For a proxy that cannot be had.
    public static Refusal unreachable(String reason) {
        return Refusal.of(
                502,
                "upstream_proxy",
                reason,
                "ask the person who runs this sandbox to check network.upstream_proxy in the profile");
    }

    /// The meaning of the proxy's own refusal.
    static Refusal refused(int status) {
        return status == 407
                ? Refusal.proxyCredentials()
                : Refusal.of(
                        502,
                        "upstream_proxy",
                        "the company's proxy answered " + status + ": it leads no way to this host",
                        "ask the people who run the proxy, or do without this host");
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        boolean isBroken = message instanceof io.netty.handler.codec.http.HttpObject object
                && object.decoderResult().isFailure();
        if (isBroken) {
            refuse(unreachable("the company's proxy does not speak HTTP"));
        } else if (message instanceof HttpResponse head && head.status().code() >= 200) {
            isAccepted = head.status().code() < 300;
            if (!isAccepted) {
                refuse(refused(head.status().code()));
            }
        }
        boolean isEnd = message instanceof LastHttpContent;
        ReferenceCountUtil.release(message);
        if (isEnd && isAccepted && !isOver) {
            isOver = true;
            ctx.pipeline().remove(this);
            codec.removeInboundHandler();
            codec.removeOutboundHandler();
            onOpen.run();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        refuse(unreachable("the company's proxy closed the connection"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        refuse(unreachable("the connection to the company's proxy failed"));
    }

    private void refuse(Refusal refusal) {
        if (!isOver) {
            isOver = true;
            onRefused.accept(refusal);
        }
    }
}
