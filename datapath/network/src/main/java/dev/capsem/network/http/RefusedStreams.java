package dev.capsem.network.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameLogger;
import io.netty.handler.logging.LogLevel;

/// Puts on record the HTTP/2 requests that Netty's codec resets before they become a stream: of those, its frame log is
/// the only one that hears.
final class RefusedStreams extends Http2FrameLogger {
    private final Runnable onRefused;

    RefusedStreams(Runnable onRefused) {
        super(LogLevel.TRACE, RefusedStreams.class);
        this.onRefused = onRefused;
    }

    @Override
    public void logRstStream(Direction direction, ChannelHandlerContext ctx, int streamId, long errorCode) {
        if (direction == Direction.OUTBOUND && errorCode == Http2Error.PROTOCOL_ERROR.code()) {
            onRefused.run();
        }
    }
}
