package dev.capsem.network;

import dev.capsem.network.tls.CertificateAuthority;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/// A server on loopback that keeps a log of what reached it.
@SuppressWarnings("FutureReturnValueIgnored")
final class Origin implements AutoCloseable {
    private static final int BODY_MAX = 32 * 1024 * 1024;

    /// What reached it; trailers are among the headers.
    record Seen(String protocol, String method, String uri, java.util.Map<String, String> headers, byte[] body) {
        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final List<Seen> log = new CopyOnWriteArrayList<>();
    private final List<X509Certificate> callers = new CopyOnWriteArrayList<>();
    private final List<Long> sessions = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final Channel server;

    private Origin(ChannelInitializer<Channel> initializer) {
        this.server = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .childHandler(initializer)
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
    }

    static Origin plain(Function<FullHttpRequest, FullHttpResponse> answer) {
        Origin[] self = new Origin[1];
        self[0] = new Origin(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                self[0].connections.incrementAndGet();
                self[0].http1(channel, answer);
            }
        });
        return self[0];
    }

    /// Whatever bytes the handler speaks.
    static Origin raw(io.netty.channel.ChannelHandler handler) {
        return new Origin(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(handler);
            }
        });
    }

    static Origin tls(
            CertificateAuthority authority,
            String host,
            boolean http2,
            Function<FullHttpRequest, FullHttpResponse> answer)
            throws Exception {
        return tls(authority, host, http2, ClientAuth.NONE, answer);
    }

    /// Takes nobody who does not show a certificate; any will do.
    static Origin tlsForKnownCallers(String host, boolean http2, Function<FullHttpRequest, FullHttpResponse> answer)
            throws Exception {
        return tls(Door.ORIGINS, host, http2, ClientAuth.REQUIRE, answer);
    }

    private static Origin tls(
            CertificateAuthority authority,
            String host,
            boolean http2,
            ClientAuth callers,
            Function<FullHttpRequest, FullHttpResponse> answer)
            throws Exception {
        CertificateAuthority.Leaf leaf = authority.leaf(host);
        String[] protocols = http2
                ? new String[] {ApplicationProtocolNames.HTTP_2, ApplicationProtocolNames.HTTP_1_1}
                : new String[] {ApplicationProtocolNames.HTTP_1_1};
        SslContext context = SslContextBuilder.forServer(
                        leaf.key(), leaf.chain().toArray(X509Certificate[]::new))
                .sslProvider(SslProvider.JDK)
                .clientAuth(callers)
                .trustManager(InsecureTrustManagerFactory.INSTANCE)
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        ApplicationProtocolConfig.Protocol.ALPN,
                        ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                        ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                        protocols))
                .build();
        Origin[] self = new Origin[1];
        self[0] = new Origin(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                self[0].connections.incrementAndGet();
                channel.pipeline()
                        .addLast(
                                context.newHandler(channel.alloc()),
                                new ApplicationProtocolNegotiationHandler(ApplicationProtocolNames.HTTP_1_1) {
                                    @Override
                                    protected void configurePipeline(ChannelHandlerContext ctx, String protocol) {
                                        SSLSession session = ctx.pipeline()
                                                .get(SslHandler.class)
                                                .engine()
                                                .getSession();
                                        self[0].sessions.add(session.getCreationTime());
                                        self[0].meet(session);
                                        if (protocol.equals(ApplicationProtocolNames.HTTP_2)) {
                                            self[0].http2(ctx.channel(), answer);
                                        } else {
                                            self[0].http1(ctx.channel(), answer);
                                        }
                                    }

                                    @Override
                                    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                                        ctx.close();
                                    }
                                });
            }
        });
        return self[0];
    }

    /// HTTP/2 whose streams are spoken by a handler of their own; without TLS, by prior knowledge.
    static Origin http2Streams(boolean isTls, String host, java.util.function.Supplier<ChannelHandler> stream)
            throws Exception {
        CertificateAuthority.Leaf leaf = Door.ORIGINS.leaf(host);
        SslContext context = SslContextBuilder.forServer(
                        leaf.key(), leaf.chain().toArray(X509Certificate[]::new))
                .sslProvider(SslProvider.JDK)
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        ApplicationProtocolConfig.Protocol.ALPN,
                        ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                        ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                        ApplicationProtocolNames.HTTP_2))
                .build();
        Origin[] self = new Origin[1];
        self[0] = new Origin(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                self[0].connections.incrementAndGet();
                if (isTls) {
                    channel.pipeline().addLast(context.newHandler(channel.alloc()));
                }
                channel.pipeline()
                        .addLast(
                                Http2FrameCodecBuilder.forServer().build(),
                                new Http2MultiplexHandler(new ChannelInitializer<>() {
                                    @Override
                                    protected void initChannel(Channel opened) {
                                        opened.pipeline().addLast(stream.get());
                                    }
                                }));
            }
        });
        return self[0];
    }

    private void http1(Channel channel, Function<FullHttpRequest, FullHttpResponse> answer) {
        channel.pipeline()
                .addLast(new HttpServerCodec(), new HttpObjectAggregator(BODY_MAX), new Answering("h1", answer));
    }

    private void http2(Channel channel, Function<FullHttpRequest, FullHttpResponse> answer) {
        channel.pipeline()
                .addLast(
                        Http2FrameCodecBuilder.forServer().build(),
                        new Http2MultiplexHandler(new ChannelInitializer<>() {
                            @Override
                            protected void initChannel(Channel stream) {
                                stream.pipeline()
                                        .addLast(
                                                new Http2StreamFrameToHttpObjectCodec(true),
                                                new HttpObjectAggregator(BODY_MAX),
                                                new Answering("h2", answer));
                            }
                        }));
    }

    private void meet(SSLSession session) {
        try {
            callers.add((X509Certificate) session.getPeerCertificates()[0]);
        } catch (SSLPeerUnverifiedException nobody) {
            // Most callers show none.
        }
    }

    /// The certificates that callers showed.
    List<X509Certificate> callers() {
        return callers;
    }

    int port() {
        return ((InetSocketAddress) server.localAddress()).getPort();
    }

    List<Seen> log() {
        return log;
    }

    /// When the TLS session of each connection was made; a resumed one is as old as its first.
    List<Long> sessions() {
        return sessions;
    }

    int connections() {
        return connections.get();
    }

    @Override
    public void close() {
        server.close().syncUninterruptibly();
        loops.shutdownGracefully(0, 2, java.util.concurrent.TimeUnit.SECONDS).syncUninterruptibly();
    }

    private final class Answering extends SimpleChannelInboundHandler<FullHttpRequest> {
        private final String protocol;
        private final Function<FullHttpRequest, FullHttpResponse> answer;

        Answering(String protocol, Function<FullHttpRequest, FullHttpResponse> answer) {
            this.protocol = protocol;
            this.answer = answer;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
            byte[] body = new byte[request.content().readableBytes()];
            request.content().getBytes(request.content().readerIndex(), body);
            java.util.Map<String, String> headers = new java.util.TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            request.headers()
                    .forEach(header -> headers.merge(header.getKey(), header.getValue(), (a, b) -> a + ", " + b));
            request.trailingHeaders().forEach(trailer -> headers.put(trailer.getKey(), trailer.getValue()));
            log.add(new Seen(protocol, request.method().name(), request.uri(), headers, body));
            FullHttpResponse response = answer.apply(request);
            boolean keep = (HttpUtil.isKeepAlive(request) && HttpUtil.isKeepAlive(response)) || protocol.equals("h2");
            if (protocol.equals("h1") && !keep) {
                response.headers().set("connection", "close");
            }
            var written = ctx.writeAndFlush(response);
            if (protocol.equals("h1") && (!keep || response.protocolVersion().equals(HttpVersion.HTTP_1_0))) {
                written.addListener(_ -> ctx.close());
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}
