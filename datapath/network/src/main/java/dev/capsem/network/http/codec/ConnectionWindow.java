package dev.capsem.network.http.codec;

import dev.capsem.network.http.limit.Limits;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodec;

/// Widens an HTTP/2 connection's own window once; SETTINGS can only set those of its streams, and 64 KiB shared by all
/// of them would make one large body slow for everybody.
public final class ConnectionWindow extends ChannelInboundHandlerAdapter {
    @Override
    public void handlerAdded(ChannelHandlerContext ctx) throws Http2Exception {
        Http2Connection connection = ctx.pipeline().get(Http2FrameCodec.class).connection();
        connection
                .local()
                .flowController()
                .incrementWindowSize(connection.connectionStream(), Limits.CONNECTION_WINDOW_BYTES);
        ctx.flush();
        ctx.pipeline().remove(this);
    }
}
