package dev.capsem.network;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// A guest that speaks HTTP/2 frame by frame, over TLS or, with prior knowledge, without.
@SuppressWarnings("FutureReturnValueIgnored")
final class Http2Guest implements AutoCloseable {
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Channel connection;

    /// One request, whose frames come one at a time: `headers …`, `data …`, `end`.
    final class Stream {
        private final BlockingQueue<String> frames = new LinkedBlockingQueue<>();
        private final Http2StreamChannel channel;

        private Stream(Http2Headers headers, boolean isEnd) {
            channel = new Http2StreamChannelBootstrap(connection)
                    .handler(new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelRead(ChannelHandlerContext ctx, Object message) {
                            if (message instanceof Http2HeadersFrame came) {
                                frames.add("headers " + came.headers());
                                ended(came.isEndStream());
                            } else if (message instanceof Http2DataFrame came) {
                                frames.add("data " + came.content().toString(StandardCharsets.UTF_8));
                                ended(came.isEndStream());
                            }
                            ReferenceCountUtil.release(message);
                        }

                        @Override
                        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                            if (event instanceof Http2ResetFrame reset) {
                                frames.add("reset " + reset.errorCode());
                            }
                        }

                        private void ended(boolean isOver) {
                            if (isOver) {
                                frames.add("end");
                            }
                        }
                    })
                    .open()
                    .syncUninterruptibly()
                    .getNow();
            channel.writeAndFlush(new DefaultHttp2HeadersFrame(headers, isEnd)).syncUninterruptibly();
        }

        void data(String text, boolean isEnd) {
            channel.writeAndFlush(new DefaultHttp2DataFrame(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8), isEnd))
                    .syncUninterruptibly();
        }

        void trailers(Http2Headers fields) {
            channel.writeAndFlush(new DefaultHttp2HeadersFrame(fields, true)).syncUninterruptibly();
        }

        /// The next frame; empty data that only carries an end is left out.
        String next() throws InterruptedException {
            String frame = frame();
            return frame.equals("data ") ? next() : frame;
        }

        /// The next frame, whatever it is.
        String frame() throws InterruptedException {
            String frame = frames.poll(30, TimeUnit.SECONDS);
            return frame == null ? "nothing" : frame;
        }
    }

    /// @param connectTo what an explicit proxy is asked for first; empty for none
    private Http2Guest(Door door, boolean isTls, String host, String connectTo) throws Exception {
        SslContext tls = SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .trustManager(dev.capsem.network.tls.AuthorityKeys.builtIn().certificate())
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        ApplicationProtocolConfig.Protocol.ALPN,
                        ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                        ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                        ApplicationProtocolNames.HTTP_2))
                .build();
        connection = new Bootstrap()
                .group(loops)
                .channel(NioSocketChannel.class)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (isTls) {
                            channel.pipeline().addLast(tls.newHandler(channel.alloc(), host, 443));
                        }
                        if (connectTo.isEmpty()) {
                            speakHttp2(channel.pipeline());
                        } else {
                            channel.pipeline().addLast(new ConnectFirst(connectTo));
                        }
                    }
                })
                .connect(door.address())
                .syncUninterruptibly()
                .channel();
        if (isTls) {
            connection.pipeline().get(SslHandler.class).handshakeFuture().sync();
        }
    }

    private static void speakHttp2(ChannelPipeline pipeline) {
        pipeline.addLast(
                Http2FrameCodecBuilder.forClient().build(),
                new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()));
    }

    /// Starts HTTP/2 when the proxy has agreed.
    private static final class ConnectFirst extends ChannelInboundHandlerAdapter {
        private final String to;
        private final StringBuilder answer = new StringBuilder();

        ConnectFirst(String to) {
            this.to = to;
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            ctx.writeAndFlush(Unpooled.copiedBuffer(
                    "CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\n\r\n", StandardCharsets.US_ASCII));
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            answer.append(((ByteBuf) message).toString(StandardCharsets.US_ASCII));
            ReferenceCountUtil.release(message);
            if (answer.indexOf("\r\n\r\n") >= 0) {
                speakHttp2(ctx.pipeline());
                ctx.pipeline().remove(this);
            }
        }
    }

    static Http2Guest plain(Door door) throws Exception {
        return new Http2Guest(door, false, "", "");
    }

    static Http2Guest tls(Door door, String host) throws Exception {
        return new Http2Guest(door, true, host, "");
    }

    /// With prior knowledge, inside a tunnel.
    static Http2Guest insideConnect(Door door, String to) throws Exception {
        Http2Guest guest = new Http2Guest(door, false, "", to);
        Door.await(() -> guest.connection.pipeline().get(Http2MultiplexHandler.class) != null);
        return guest;
    }

    static Http2Headers head(String method, String scheme, String authority, String path) {
        return new DefaultHttp2Headers()
                .method(method)
                .scheme(scheme)
                .authority(authority)
                .path(path);
    }

    Stream open(Http2Headers headers, boolean isEnd) {
        return new Stream(headers, isEnd);
    }

    @Override
    public void close() {
        connection.close().syncUninterruptibly();
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
