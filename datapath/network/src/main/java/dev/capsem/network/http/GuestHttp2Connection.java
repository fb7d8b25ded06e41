package dev.capsem.network.http;

import dev.capsem.events.row.Outcome;
import dev.capsem.network.http.head.ConnectionFacts;
import dev.capsem.network.http.limit.Limits;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameStreamException;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/// The end of a guest's HTTP/2 connection, behind its streams: what breaks the protocol itself is put on record here.
@SuppressWarnings("FutureReturnValueIgnored")
final class GuestHttp2Connection extends ChannelInboundHandlerAdapter {
    private final Stage stage;
    private final ConnectionFacts facts;
    private boolean wasRefused;
    private boolean hasRequested;

    GuestHttp2Connection(Stage stage, ConnectionFacts facts) {
        this.stage = stage;
        this.facts = facts;
    }

    /// A request came.
    void opened() {
        hasRequested = true;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        long millis = stage.timeouts().requestHead().toMillis();
        var silence = ctx.executor().schedule(() -> silent(ctx), millis, TimeUnit.MILLISECONDS);
        ctx.channel().closeFuture().addListener(_ -> silence.cancel(false));
    }

    private void silent(ChannelHandlerContext ctx) {
        if (!hasRequested) {
            refuse("HTTP/2: no request in " + stage.timeouts().requestHead().toSeconds() + " s");
            ctx.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (!hasRequested) {
            refuse("HTTP/2: the connection ended without a request");
        }
        ctx.fireChannelInactive();
    }

    private void refuse(String reason) {
        if (!wasRefused) {
            wasRefused = true;
            GuestPipeline.refused(stage, facts, facts.connectionType(), Outcome.DENIED, reason);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ReferenceCountUtil.release(message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        refuse("HTTP/2: " + kind(cause));
        if (!(cause instanceof Http2FrameStreamException)) {
            ctx.close();
        }
    }

    /// The limit that was run into, or what kind of error it was. Netty's own words are not repeated: they may quote.
    private static String kind(Throwable cause) {
        Throwable inner = cause.getCause() instanceof Http2Exception nested ? nested : cause;
        if (!(inner instanceof Http2Exception error)) {
            return "malformed, " + inner.getClass().getSimpleName();
        }
        String words = String.valueOf(error.getMessage());
        if (words.contains("RST")) {
            return "more than " + Limits.RESETS_PER_WINDOW + " resets in " + Limits.RESET_WINDOW_SECONDS + " s";
        }
        if (words.contains("ontinuation")) {
            return "more than " + Limits.SMALL_CONTINUATIONS + " small CONTINUATION frames";
        }
        if (words.contains("Header size")) {
            return "a header block above " + Limits.HTTP2_HEADER_BLOCK_BYTES + " bytes";
        }
        if (words.contains("empty data frames")) {
            return "more than " + Limits.EMPTY_DATA_FRAMES + " empty DATA frames in a row";
        }
        return "malformed, " + error.error().name();
    }
}
