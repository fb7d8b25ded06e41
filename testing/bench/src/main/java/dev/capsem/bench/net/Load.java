package dev.capsem.bench.net;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;

/// One kind of load over TLS: so many askers, each asking again as soon as it has its answer.
///
/// @param proxyPort none = straight to the origin
record Load(OptionalInt proxyPort, String host, int originPort, String path, int askers, Kind kind) {
    /// Of a tenth of a second each.
    private static final int PATIENCE_TRIES = 200;

    /// What an asker does.
    enum Kind {
        /// It keeps its connection.
        KEEP_ALIVE,
        /// Each request has a connection of its own, with a whole handshake.
        FULL_HANDSHAKE,
        /// Each request has a connection of its own, which takes up the TLS session of an earlier one.
        RESUMED_HANDSHAKE,
        /// All askers share one HTTP/2 connection.
        MULTIPLEXED,
        /// As [#KEEP_ALIVE], but an answer counts from its first byte on.
        FIRST_BYTE
    }

    /// @param millis of each answered request, unsorted
    /// @param answered requests, those of the warm-up too
    record Result(double perSecond, List<Double> millis, long answered, long failures) {}

    /// Runs for the warm-up, then measures.
    ///
    /// @return none if who answers cannot do this kind of thing
    Optional<Result> run(Duration warmUp, Duration time) throws IOException {
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            Run run = begin(loop);
            Thread.sleep(warmUp);
            run.awaitAnswers(1);
            long before = run.answered.sum();
            run.measureFrom.set(System.nanoTime());
            Thread.sleep(time);
            run.awaitAnswers(before + 1);
            run.isOver = true;
            double seconds = (System.nanoTime() - run.measureFrom.get()) / 1e9;
            List<Double> millis = loop.submit(() -> List.copyOf(run.millis))
                    .syncUninterruptibly()
                    .getNow();
            if (run.cannot()) {
                return Optional.empty();
            }
            if (millis.isEmpty()) {
                throw new IOException("nothing was answered at " + path + " with " + askers + " askers, "
                        + run.failures.sum() + " failures");
            }
            return Optional.of(new Result(millis.size() / seconds, millis, run.answered.sum(), run.failures.sum()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the load ran", e);
        } finally {
            loop.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    /// Runs, and does not look at what comes of it.
    void warmUp(Duration time) throws IOException {
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            begin(loop);
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the load ran", e);
        } finally {
            loop.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    private Run begin(EventLoopGroup loop) throws IOException {
        Run run = new Run(this, loop, tls());
        int connections = kind == Kind.MULTIPLEXED ? 1 : askers;
        for (int i = 0; i < connections; i++) {
            run.connect();
        }
        return run;
    }

    private SslContext tls() throws IOException {
        SslContextBuilder builder = SslContextBuilder.forClient()
                .sslProvider(SslProvider.OPENSSL)
                .trustManager(InsecureTrustManagerFactory.INSTANCE)
                .endpointIdentificationAlgorithm(null);
        if (kind == Kind.MULTIPLEXED) {
            builder.applicationProtocolConfig(new ApplicationProtocolConfig(
                    ApplicationProtocolConfig.Protocol.ALPN,
                    ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                    ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                    ApplicationProtocolNames.HTTP_2,
                    ApplicationProtocolNames.HTTP_1_1));
        }
        return builder.build();
    }

    /// One load under way.
    static final class Run {
        private final Load load;
        private final EventLoopGroup loop;
        private final SslContext tls;
        private final AtomicLong measureFrom = new AtomicLong(Long.MAX_VALUE);
        private final LongAdder answered = new LongAdder();
        private final LongAdder failures = new LongAdder();
        private final LongAdder handshakes = new LongAdder();
        private final LongAdder resumed = new LongAdder();

        /// Touched by the one event loop only.
        private final List<Double> millis = new ArrayList<>();

        private volatile boolean isOver;
        private volatile boolean lacksHttp2;

        Run(Load load, EventLoopGroup loop, SslContext tls) {
            this.load = load;
            this.loop = loop;
            this.tls = tls;
        }

        Load load() {
            return load;
        }

        boolean isOver() {
            return isOver;
        }

        void failed() {
            failures.increment();
        }

        /// On a busy machine a program that has just started may take longer than the warm-up for its first answer.
        private void awaitAnswers(long count) throws InterruptedException {
            for (int i = 0; i < PATIENCE_TRIES && answered.sum() < count && !lacksHttp2; i++) {
                Thread.sleep(Duration.ofMillis(100));
            }
        }

        void lacksHttp2() {
            lacksHttp2 = true;
        }

        /// Some handshakes are full even so: the first ones, and one whenever sessions ran out.
        private boolean cannot() {
            boolean resumes = load.kind != Kind.RESUMED_HANDSHAKE || resumed.sum() * 2 > handshakes.sum();
            return lacksHttp2 || !resumes;
        }

        void connect() {
            long began = System.nanoTime();
            new Bootstrap()
                    .group(loop)
                    .channel(NioSocketChannel.class)
                    .option(ChannelOption.TCP_NODELAY, true)
                    .handler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            if (load.proxyPort.isPresent()) {
                                channel.pipeline().addLast(new Tunnel(Run.this, began));
                            } else {
                                talk(channel, began);
                            }
                        }
                    })
                    .connect(InetAddress.getLoopbackAddress(), load.proxyPort.orElse(load.originPort))
                    .addListener(done -> {
                        if (!done.isSuccess()) {
                            failed();
                        }
                    });
        }

        void talk(Channel channel, long began) {
            channel.pipeline().addLast(tls(channel));
            if (load.kind == Kind.MULTIPLEXED) {
                channel.pipeline()
                        .addLast(
                                Http2FrameCodecBuilder.forClient().build(),
                                new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()),
                                new Http2Asker(this));
            } else {
                channel.pipeline().addLast(new HttpClientCodec(), new Http1Asker(this, began));
            }
        }

        private SslHandler tls(Channel channel) {
            // Sessions are kept under the peer's name; without one there is nothing to take up.
            SslHandler handler = load.kind == Kind.FULL_HANDSHAKE
                    ? tls.newHandler(channel.alloc())
                    : tls.newHandler(channel.alloc(), load.host, load.originPort);
            // By itself Netty does not name a host without a dot.
            SSLParameters parameters = handler.engine().getSSLParameters();
            parameters.setServerNames(List.of(new SNIHostName(load.host)));
            handler.engine().setSSLParameters(parameters);
            long beganAt = System.currentTimeMillis();
            handler.handshakeFuture().addListener(done -> {
                handshakes.increment();
                if (done.isSuccess() && handler.engine().getSession().getCreationTime() < beganAt) {
                    resumed.increment();
                }
            });
            return handler;
        }

        void answered(long began) {
            long now = System.nanoTime();
            answered.increment();
            if (!isOver && began >= measureFrom.get()) {
                millis.add((now - began) / 1e6);
            }
        }
    }

    /// Asks an explicit proxy for a way to the origin, then gives the connection on.
    private static final class Tunnel extends ChannelInboundHandlerAdapter {
        private final Run run;
        private final long began;
        private final StringBuilder head = new StringBuilder();

        Tunnel(Run run, long began) {
            this.run = run;
            this.began = began;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            String target = run.load.host + ":" + run.load.originPort;
            String request = "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n";
            ChannelFuture _ = context.writeAndFlush(Unpooled.copiedBuffer(request, StandardCharsets.US_ASCII));
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            head.append(((ByteBuf) message).toString(StandardCharsets.US_ASCII));
            ReferenceCountUtil.release(message);
            if (head.indexOf("\r\n\r\n") < 0) {
                return;
            }
            if (head.indexOf(" 200 ") < 0) {
                run.failed();
                ChannelFuture _ = context.close();
                return;
            }
            Channel channel = context.channel();
            run.talk(channel, began);
            context.pipeline().remove(this);
            channel.pipeline().fireChannelActive();
        }
    }
}
