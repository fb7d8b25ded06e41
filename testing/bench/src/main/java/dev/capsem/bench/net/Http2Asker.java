package dev.capsem.bench.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;

/// Asks on one HTTP/2 connection, on as many streams at once as there are askers.
final class Http2Asker extends ChannelInboundHandlerAdapter {
    private final Load.Run run;

    Http2Asker(Load.Run run) {
        this.run = run;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (!(event instanceof SslHandshakeCompletionEvent done)) {
            return;
        }
        SslHandler tls = context.pipeline().get(SslHandler.class);
        if (!done.isSuccess() || !ApplicationProtocolNames.HTTP_2.equals(tls.applicationProtocol())) {
            run.lacksHttp2();
            ChannelFuture _ = context.close();
            return;
        }
        for (int i = 0; i < run.load().askers(); i++) {
            ask(context.channel());
        }
    }

    private void ask(Channel connection) {
        Http2Headers headers = new DefaultHttp2Headers()
                .method("GET")
                .scheme("https")
                .authority(run.load().host() + ":" + run.load().originPort())
                .path(run.load().path())
                .set("user-agent", "capsem-bench");
        long began = System.nanoTime();
        new Http2StreamChannelBootstrap(connection)
                .handler(new Answer(connection, began))
                .open()
                .addListener((Future<Http2StreamChannel> opened) -> {
                    if (opened.isSuccess()) {
                        ChannelFuture _ = opened.getNow().writeAndFlush(new DefaultHttp2HeadersFrame(headers, true));
                    } else {
                        run.failed();
                    }
                });
    }

    private final class Answer extends ChannelInboundHandlerAdapter {
        private final Channel connection;
        private final long began;

        Answer(Channel connection, long began) {
            this.connection = connection;
            this.began = began;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            boolean isLast = switch (message) {
                case Http2HeadersFrame headers -> {
                    if (!"200".contentEquals(headers.headers().status())) {
                        run.failed();
                    }
                    yield headers.isEndStream();
                }
                case Http2DataFrame data -> data.isEndStream();
                default -> false;
            };
            ReferenceCountUtil.release(message);
            if (isLast) {
                run.answered(began);
                if (!run.isOver()) {
                    ask(connection);
                }
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof Http2ResetFrame) {
                run.failed();
            }
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        run.failed();
        ChannelFuture _ = context.close();
    }
}
