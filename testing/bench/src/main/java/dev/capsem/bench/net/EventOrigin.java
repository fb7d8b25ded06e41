package dev.capsem.bench.net;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/// What nginx cannot do: answers at once with the first of two events and lets the second wait, so that whoever holds
/// a stream back until it is over is seen to.
final class EventOrigin implements AutoCloseable {
    private static final int SECOND_EVENT_MILLIS = 50;

    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Channel server;

    EventOrigin(Path certificate, Path key) throws IOException {
        SslContext tls = SslContextBuilder.forServer(certificate.toFile(), key.toFile())
                .sslProvider(SslProvider.OPENSSL)
                .build();
        server = new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(tls.newHandler(channel.alloc()), new HttpServerCodec(), new TwoEvents());
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
    }

    int port() {
        return ((InetSocketAddress) server.localAddress()).getPort();
    }

    @Override
    public void close() {
        loop.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private static final class TwoEvents extends SimpleChannelInboundHandler<HttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, HttpRequest request) {
            HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
            head.headers().set("content-type", "text/event-stream").set("transfer-encoding", "chunked");
            ChannelFuture _ = context.write(head);
            ChannelFuture _ = context.writeAndFlush(new DefaultHttpContent(event("first")));
            Runnable second = () -> {
                ChannelFuture _ = context.writeAndFlush(new DefaultLastHttpContent(event("second")));
            };
            Future<?> _ = context.executor().schedule(second, SECOND_EVENT_MILLIS, TimeUnit.MILLISECONDS);
        }

        private static ByteBuf event(String name) {
            return Unpooled.copiedBuffer("data: " + name + "\n\n", StandardCharsets.US_ASCII);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            ChannelFuture _ = context.close();
        }
    }
}
