package dev.capsem.network.http.upstream;

import dev.capsem.exchange.http.UpstreamTarget;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2SettingsFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.time.Duration;
import java.util.function.Consumer;

/// An upstream's HTTP/2 connection, as its pool sees it: how many streams it still takes, and whether it goes away.
@SuppressWarnings("FutureReturnValueIgnored")
public final class Http2Connection extends ChannelInboundHandlerAdapter {
    /// Until the peer says otherwise.
    private static final int STREAMS_ASSUMED = 100;

    private final UpstreamOrigin origin;
    private final UpstreamTarget target;
    private final Consumer<Http2Connection> onUnusable;
    private final Runnable onStreamClosed;
    private long streamsMax = STREAMS_ASSUMED;
    private int streams;
    private long served;
    private long lastUsedNanos = System.nanoTime();
    private boolean isUsable = true;

    /// @param onUnusable told once, when no new stream may be opened any more
    Http2Connection(
            UpstreamOrigin origin,
            UpstreamTarget target,
            Consumer<Http2Connection> onUnusable,
            Runnable onStreamClosed) {
        this.origin = origin;
        this.target = target;
        this.onUnusable = onUnusable;
        this.onStreamClosed = onStreamClosed;
    }

    boolean hasRoom() {
        return isUsable && streams < streamsMax;
    }

    UpstreamTarget target() {
        return target;
    }

    /// Requires: [#hasRoom].
    Future<Upstream> open(Channel connection, UpstreamEvents events) {
        streams++;
        boolean isReused = served++ > 0;
        UpstreamHandler handler = new UpstreamHandler();
        handler.attach(events);
        Promise<Upstream> opened = connection.eventLoop().newPromise();
        new Http2StreamChannelBootstrap(connection)
                .option(ChannelOption.AUTO_READ, false)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel stream) {
                        stream.pipeline().addLast(new Http2StreamFrameToHttpObjectCodec(false), handler);
                    }
                })
                .open()
                .addListener((Future<Http2StreamChannel> done) -> {
                    if (!done.isSuccess()) {
                        streamClosed();
                        opened.setFailure(done.cause());
                        return;
                    }
                    Channel stream = done.getNow();
                    stream.closeFuture().addListener(_ -> streamClosed());
                    opened.setSuccess(new Upstream(stream, handler, origin, true, isReused, stream::close));
                });
        return opened;
    }

    /// Whether it has had no stream for that long.
    boolean isIdleFor(Duration time) {
        return streams == 0 && System.nanoTime() - lastUsedNanos >= time.toNanos();
    }

    private void streamClosed() {
        streams--;
        lastUsedNanos = System.nanoTime();
        onStreamClosed.run();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof Http2SettingsFrame settings
                && settings.settings().maxConcurrentStreams() != null) {
            streamsMax = settings.settings().maxConcurrentStreams();
        }
        if (message instanceof Http2GoAwayFrame) {
            unusable();
        }
        ReferenceCountUtil.release(message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        unusable();
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        unusable();
        ctx.close();
    }

    private void unusable() {
        if (isUsable) {
            isUsable = false;
            onUnusable.accept(this);
        }
    }
}
