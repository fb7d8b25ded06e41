package dev.capsem.network.http;

import dev.capsem.events.row.Outcome;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameStreamException;
import io.netty.util.ReferenceCountUtil;

/// The end of a guest's HTTP/2 connection, behind its streams: what breaks the protocol itself is put on record here.
@SuppressWarnings("FutureReturnValueIgnored")
final class GuestHttp2Connection extends ChannelInboundHandlerAdapter {
    private final Stage stage;
    private final ConnectionFacts facts;
    private boolean wasRefused;

    GuestHttp2Connection(Stage stage, ConnectionFacts facts) {
        this.stage = stage;
        this.facts = facts;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ReferenceCountUtil.release(message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!wasRefused) {
            wasRefused = true;
            GuestPipeline.refused(
                    stage, facts, facts.connectionType(), Outcome.DENIED, "malformed HTTP/2: " + kind(cause));
        }
        if (!(cause instanceof Http2FrameStreamException)) {
            ctx.close();
        }
    }

    private static String kind(Throwable cause) {
        Throwable inner = cause.getCause() instanceof Http2Exception nested ? nested : cause;
        return inner instanceof Http2Exception http2
                ? http2.error().name()
                : inner.getClass().getSimpleName();
    }
}
