package dev.capsem.bench.net;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;

/// Asks on an HTTP/1.1 connection of its own.
final class Http1Asker extends ChannelInboundHandlerAdapter {
    private final Load.Run run;
    private final boolean timesFirstByte;
    private final boolean reconnects;
    private long began;
    private boolean isAsking;
    private boolean isCounted;

    /// @param began when its connection did
    Http1Asker(Load.Run run, long began) {
        this.run = run;
        this.began = began;
        this.timesFirstByte = run.load().kind() == Load.Kind.FIRST_BYTE;
        this.reconnects = switch (run.load().kind()) {
            case FULL_HANDSHAKE, RESUMED_HANDSHAKE -> true;
            case KEEP_ALIVE, MULTIPLEXED, FIRST_BYTE -> false;
        };
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        if (!isAsking) {
            isAsking = true;
            ask(context);
        }
    }

    private void ask(ChannelHandlerContext context) {
        isCounted = false;
        DefaultFullHttpRequest request = new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1, HttpMethod.GET, run.load().path());
        request.headers().set("host", run.load().host() + ":" + run.load().originPort());
        request.headers().set("user-agent", "capsem-bench");
        ChannelFuture _ = context.writeAndFlush(request);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof HttpResponse response && response.status().code() != 200) {
            run.failed();
        }
        boolean isFirst =
                message instanceof HttpContent content && content.content().isReadable();
        boolean isLast = message instanceof LastHttpContent;
        ReferenceCountUtil.release(message);
        if (!isCounted && (isLast || (timesFirstByte && isFirst))) {
            isCounted = true;
            run.answered(began);
        }
        if (!isLast) {
            return;
        }
        if (run.isOver()) {
            ChannelFuture _ = context.close();
        } else if (reconnects) {
            ChannelFuture _ = context.close();
            run.connect();
        } else {
            began = System.nanoTime();
            ask(context);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        run.failed();
        ChannelFuture _ = context.close();
    }
}
