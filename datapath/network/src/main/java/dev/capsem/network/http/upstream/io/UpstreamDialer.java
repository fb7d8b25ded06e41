package dev.capsem.network.http.upstream.io;

import dev.capsem.exchange.http.Refusal;
import dev.capsem.exchange.http.UpstreamTarget;
import dev.capsem.network.address.AddressLiterals;
import dev.capsem.network.address.HostResolver;
import dev.capsem.network.address.Resolution;
import dev.capsem.network.http.codec.ConnectionWindow;
import dev.capsem.network.http.limit.Limits;
import dev.capsem.network.http.limit.Timeouts;
import dev.capsem.network.http.upstream.Http2Connection;
import dev.capsem.network.http.upstream.ProxyTunnel;
import dev.capsem.network.http.upstream.UpstreamConnector;
import dev.capsem.network.http.upstream.UpstreamFailure;
import dev.capsem.network.http.upstream.UpstreamHandler;
import dev.capsem.network.http.upstream.UpstreamOrigin;
import dev.capsem.network.http.upstream.UpstreamProxy;
import dev.capsem.network.http.upstream.UpstreamTrouble;
import dev.capsem.network.metrics.NetworkMetrics;
import dev.capsem.network.tls.UpstreamTls;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// Opens upstream connections: to exactly the address it is told, or through the proxy that the origin names.
@SuppressWarnings("FutureReturnValueIgnored")
public final class UpstreamDialer implements UpstreamConnector {
    private final Deferred<UpstreamTls> tls;
    private final HostResolver resolver;
    private final Timeouts timeouts;
    private final NetworkMetrics metrics;

    /// @param resolver for the proxy's own name
    public UpstreamDialer(Deferred<UpstreamTls> tls, HostResolver resolver, Timeouts timeouts, NetworkMetrics metrics) {
        this.tls = tls;
        this.resolver = resolver;
        this.timeouts = timeouts;
        this.metrics = metrics;
    }

    @Override
    public Future<Dialed> dial(EventLoop loop, UpstreamOrigin origin, UpstreamTarget target, Http2Connection onHttp2) {
        Promise<Dialed> dialed = loop.newPromise();
        long started = System.nanoTime();
        dialed.addListener(done -> {
            if (done.isSuccess()) {
                metrics.upstreamDialed(
                        Duration.ofNanos(System.nanoTime() - started).toNanos() / 1e6);
            }
        });
        if (origin.via().isPresent()) {
            findProxy(loop, origin, origin.via().get(), dialed, onHttp2);
        } else if (target instanceof UpstreamTarget.At(InetAddress address)) {
            connect(loop, new InetSocketAddress(address, origin.port()), dialed, "the upstream", channel -> {
                begin(channel, origin, dialed, onHttp2);
            });
        } else {
            throw new IllegalStateException("only a proxy leads to a name");
        }
        return dialed;
    }

    private void findProxy(
            EventLoop loop,
            UpstreamOrigin origin,
            UpstreamProxy proxy,
            Promise<Dialed> dialed,
            Http2Connection onHttp2) {
        Optional<InetAddress> literal = AddressLiterals.parse(proxy.host());
        if (literal.isPresent()) {
            connectProxy(loop, literal.get(), origin, proxy, dialed, onHttp2);
            return;
        }
        resolver.resolve(proxy.host())
                .thenAcceptAsync(
                        found -> {
                            switch (found) {
                                case Resolution.Addresses(List<InetAddress> addresses) ->
                                    connectProxy(loop, addresses.getFirst(), origin, proxy, dialed, onHttp2);
                                case Resolution.Failed(String reason) ->
                                    dialed.tryFailure(new UpstreamFailure(ProxyTunnel.unreachable(
                                            "the company's proxy could not be resolved: " + reason)));
                            }
                        },
                        loop);
    }

    private void connectProxy(
            EventLoop loop,
            InetAddress address,
            UpstreamOrigin origin,
            UpstreamProxy proxy,
            Promise<Dialed> dialed,
            Http2Connection onHttp2) {
        connect(loop, new InetSocketAddress(address, proxy.port()), dialed, "the company's proxy", channel -> {
            if (origin.forwarder().isPresent()) {
                ready(channel, false, dialed, onHttp2);
                return;
            }
            ProxyTunnel.open(
                    channel,
                    origin,
                    proxy,
                    timeouts.connect(),
                    () -> begin(channel, origin, dialed, onHttp2),
                    refusal -> dialed.tryFailure(new UpstreamFailure(refusal)));
        });
    }

    /// @param what is connected to, in words
    private void connect(
            EventLoop loop, InetSocketAddress to, Promise<Dialed> dialed, String what, Consumer<Channel> onConnected) {
        ChannelFuture connected = new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(
                        ChannelOption.CONNECT_TIMEOUT_MILLIS,
                        Math.toIntExact(timeouts.connect().toMillis()))
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, false)
                // A server that answers before it has read everything may refuse the rest; its answer is still to be
                // read then.
                .option(ChannelOption.AUTO_CLOSE, false)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(to);
        connected.addListener(done -> {
            if (done.isSuccess()) {
                onConnected.accept(connected.channel());
            } else {
                dialed.tryFailure(
                        new UpstreamFailure(UpstreamTrouble.connecting(what, done.cause(), timeouts.connect())));
            }
        });
        dialed.addListener(done -> {
            if (!done.isSuccess()) {
                connected.channel().close();
            }
        });
    }

    private void begin(Channel channel, UpstreamOrigin origin, Promise<Dialed> dialed, Http2Connection onHttp2) {
        if (origin.isTls()) {
            tls.get(
                    channel.eventLoop(),
                    known -> initTls(known, channel, origin, dialed, onHttp2),
                    failure -> dialed.tryFailure(new UpstreamFailure(Refusal.of(
                            502,
                            "upstream_trust",
                            "the host's certificate authorities cannot be read: " + failure.getMessage(),
                            "repair the bundle of certificates on the host, then start the sandbox again"))));
        } else {
            ready(channel, origin.speech() == UpstreamOrigin.Speech.HTTP2, dialed, onHttp2);
        }
    }

    private void initTls(
            UpstreamTls known,
            Channel channel,
            UpstreamOrigin origin,
            Promise<Dialed> dialed,
            Http2Connection onHttp2) {
        String missing = known.missing().get(origin.host());
        if (missing != null) {
            dialed.tryFailure(new UpstreamFailure(UpstreamTrouble.clientCertificate(missing)));
            return;
        }
        UpstreamTls.Contexts contexts = known.contexts(origin.host());
        SslHandler handler = (origin.speech() == UpstreamOrigin.Speech.HTTP1 ? contexts.http1Only() : contexts.any())
                .newHandler(channel.alloc(), origin.host(), origin.port());
        handler.setHandshakeTimeoutMillis(timeouts.connect().toMillis());
        handler.handshakeFuture().addListener(done -> {
            if (!done.isSuccess()) {
                dialed.tryFailure(new UpstreamFailure(UpstreamTrouble.handshake(done.cause(), timeouts.connect())));
            }
        });
        channel.pipeline()
                .addLast(handler, new ApplicationProtocolNegotiationHandler(ApplicationProtocolNames.HTTP_1_1) {
                    @Override
                    protected void configurePipeline(ChannelHandlerContext ctx, String protocol) {
                        ready(ctx.channel(), protocol.equals(ApplicationProtocolNames.HTTP_2), dialed, onHttp2);
                    }

                    @Override
                    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                        ctx.close();
                    }
                });
        channel.closeFuture()
                .addListener(_ -> dialed.tryFailure(new UpstreamFailure(Refusal.of(
                        502,
                        "upstream_unreachable",
                        "the upstream closed the connection during its TLS handshake",
                        "check that the host speaks TLS on this port"))));
    }

    private static void ready(Channel channel, boolean isHttp2, Promise<Dialed> dialed, Http2Connection onHttp2) {
        if (isHttp2) {
            channel.pipeline()
                    .addLast(
                            Http2FrameCodecBuilder.forClient()
                                    .initialSettings(new Http2Settings()
                                            .pushEnabled(false)
                                            .maxHeaderListSize(Limits.HEADER_BLOCK_BYTES)
                                            .initialWindowSize(Limits.STREAM_WINDOW_BYTES))
                                    .build(),
                            new Http2MultiplexHandler(new RefusePushedStreams()),
                            new ConnectionWindow(),
                            onHttp2);
        } else {
            channel.config().setAutoRead(false);
            channel.pipeline()
                    .addLast(
                            new HttpClientCodec(
                                    new HttpDecoderConfig()
                                            .setMaxInitialLineLength(Limits.HEADER_BLOCK_BYTES)
                                            .setMaxHeaderSize(Limits.HEADER_BLOCK_BYTES)
                                            .setMaxChunkSize(64 * 1024),
                                    HttpClientCodec.DEFAULT_PARSE_HTTP_AFTER_CONNECT_REQUEST,
                                    HttpClientCodec.DEFAULT_FAIL_ON_MISSING_RESPONSE),
                            new UpstreamHandler());
        }
        dialed.trySuccess(new Dialed(channel, isHttp2));
    }

    /// We never ask for pushes, so a server that pushes is refused.
    private static final class RefusePushedStreams extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel channel) {
            channel.close();
        }

        @Override
        public boolean isSharable() {
            return true;
        }
    }
}
