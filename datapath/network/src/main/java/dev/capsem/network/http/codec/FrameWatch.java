package dev.capsem.network.http.codec;

import dev.capsem.network.http.head.Refused;
import dev.capsem.network.http.limit.Limits;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameLogger;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.logging.LogLevel;
import io.netty.util.AsciiString;
import java.util.concurrent.TimeUnit;

/// Sees every frame of a guest's HTTP/2 connection. Two things show nowhere else: requests that Netty's codec resets
/// before they become a stream, and frames that cost us an answer and the guest nothing.
@SuppressWarnings("FutureReturnValueIgnored")
public final class FrameWatch extends Http2FrameLogger {
    private static final AsciiString TOO_LONG = HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE.codeAsText();

    /// Told of what is to be on record.
    public interface Refused {
        void refused(String reason);
    }

    private final Refused record;
    private long windowStartNanos = System.nanoTime();
    private int controlFrames;
    private boolean isFlooded;
    private int tooLongStream;

    public FrameWatch(Refused record) {
        super(LogLevel.TRACE, FrameWatch.class);
        this.record = record;
    }

    /// The codec's own answer to a head that is too long; ours have a stream of their own by then.
    @Override
    public void logHeaders(
            Direction direction,
            ChannelHandlerContext ctx,
            int streamId,
            Http2Headers headers,
            int padding,
            boolean endStream) {
        if (direction == Direction.OUTBOUND && TOO_LONG.contentEquals(headers.status())) {
            tooLongStream = streamId;
            record.refused("HTTP/2: a header block above " + Limits.HTTP2_HEADER_BLOCK_BYTES + " bytes");
        }
    }

    @Override
    public void logRstStream(Direction direction, ChannelHandlerContext ctx, int streamId, long errorCode) {
        boolean isRefusal = direction == Direction.OUTBOUND && errorCode == Http2Error.PROTOCOL_ERROR.code();
        if (isRefusal && streamId != tooLongStream) {
            record.refused("malformed HTTP/2 request");
        }
    }

    @Override
    public void logSettings(Direction direction, ChannelHandlerContext ctx, Http2Settings settings) {
        control(direction, ctx);
    }

    @Override
    public void logPing(Direction direction, ChannelHandlerContext ctx, long data) {
        control(direction, ctx);
    }

    @Override
    public void logPriority(
            Direction direction,
            ChannelHandlerContext ctx,
            int streamId,
            int streamDependency,
            short weight,
            boolean exclusive) {
        control(direction, ctx);
    }

    @Override
    public void logUnknownFrame(
            Direction direction,
            ChannelHandlerContext ctx,
            byte frameType,
            int streamId,
            Http2Flags flags,
            ByteBuf data) {
        control(direction, ctx);
    }

    private void control(Direction direction, ChannelHandlerContext ctx) {
        if (direction == Direction.OUTBOUND || isFlooded) {
            return;
        }
        long now = System.nanoTime();
        if (now - windowStartNanos > TimeUnit.SECONDS.toNanos(Limits.CONTROL_WINDOW_SECONDS)) {
            windowStartNanos = now;
            controlFrames = 0;
        }
        controlFrames++;
        if (controlFrames > Limits.CONTROL_FRAMES_PER_WINDOW) {
            isFlooded = true;
            record.refused("HTTP/2: more than " + Limits.CONTROL_FRAMES_PER_WINDOW + " control frames in "
                    + Limits.CONTROL_WINDOW_SECONDS + " s");
            ctx.close();
        }
    }
}
