package dev.capsem.testkit.grpc;

import dev.capsem.testkit.tls.OriginCertificate;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Speaks HTTP/2 only. Each message comes back as soon as it is there; the end brings trailers with a status.
public final class GrpcOrigin implements AutoCloseable {
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Channel listener;
    private final List<String> calls = new CopyOnWriteArrayList<>();

    public GrpcOrigin(OriginCertificate certificate) {
        SslContext tls;
        try {
            tls = SslContextBuilder.forServer(
                            certificate.chain().toFile(), certificate.key().toFile())
                    .applicationProtocolConfig(new ApplicationProtocolConfig(
                            ApplicationProtocolConfig.Protocol.ALPN,
                            ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                            ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                            ApplicationProtocolNames.HTTP_2))
                    .build();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        listener = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(
                                        tls.newHandler(channel.alloc()),
                                        Http2FrameCodecBuilder.forServer().build(),
                                        new Http2MultiplexHandler(new ChannelInitializer<Channel>() {
                                            @Override
                                            protected void initChannel(Channel stream) {
                                                stream.pipeline().addLast(new Echo());
                                            }
                                        }));
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
    }

    public int port() {
        return ((java.net.InetSocketAddress) listener.localAddress()).getPort();
    }

    /// Paths of all calls so far.
    public List<String> calls() {
        return List.copyOf(calls);
    }

    private final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object frame) {
            if (frame instanceof Http2HeadersFrame head) {
                calls.add(String.valueOf(head.headers().path()));
                send(
                        context,
                        new DefaultHttp2HeadersFrame(
                                new DefaultHttp2Headers().status("200").add("content-type", "application/grpc")));
                if (head.isEndStream()) {
                    end(context);
                }
            } else if (frame instanceof Http2DataFrame data) {
                // The write takes the frame's reference over.
                send(context, new DefaultHttp2DataFrame(data.content(), false));
                if (data.isEndStream()) {
                    end(context);
                }
            }
        }

        // A connection that breaks is the client's to notice.
        @SuppressWarnings("FutureReturnValueIgnored")
        private static void send(ChannelHandlerContext context, Object frame) {
            context.writeAndFlush(frame);
        }

        private static void end(ChannelHandlerContext context) {
            send(
                    context,
                    new DefaultHttp2HeadersFrame(
                            new DefaultHttp2Headers().add("grpc-status", "0").add("grpc-message", "all echoed"), true));
        }
    }

    @Override
    public void close() {
        listener.close().syncUninterruptibly();
        loops.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).syncUninterruptibly();
    }
}
