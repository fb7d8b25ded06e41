package dev.capsem.bench.net;

import io.netty.bootstrap.Bootstrap;
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
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;

/// One kind of load: so many connections, each asking again as soon as it has its answer.
///
/// @param proxyPort none = straight to the origin
/// @param reconnects whether each request has a connection of its own
record Load(
        OptionalInt proxyPort,
        String host,
        int originPort,
        String path,
        int connections,
        boolean reconnects,
        boolean isHttps) {
    /// @param millis of each answered request, unsorted
    record Result(double perSecond, List<Double> millis, long failures) {}

    /// Runs for the warm-up, then measures.
    Result run(Duration warmUp, Duration time) throws IOException {
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            SslContext tls = SslContextBuilder.forClient()
                    .sslProvider(SslProvider.OPENSSL)
                    .trustManager(InsecureTrustManagerFactory.INSTANCE)
                    .endpointIdentificationAlgorithm(null)
                    .build();
            Run run = new Run(this, loop, tls);
            for (int i = 0; i < connections; i++) {
                run.connect();
            }
            Thread.sleep(warmUp);
            run.measureFrom.set(System.nanoTime());
            Thread.sleep(time);
            run.isOver = true;
            double seconds = (System.nanoTime() - run.measureFrom.get()) / 1e9;
            List<Double> millis = loop.submit(() -> List.copyOf(run.millis))
                    .syncUninterruptibly()
                    .getNow();
            if (millis.isEmpty()) {
                throw new IOException("nothing was answered at " + path + " with " + connections + " connections, "
                        + run.failures.sum() + " failures");
            }
            return new Result(millis.size() / seconds, millis, run.failures.sum());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the load ran", e);
        } finally {
            loop.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    private static final class Run {
        private final Load load;
        private final EventLoopGroup loop;
        private final SslContext tls;
        private final AtomicLong measureFrom = new AtomicLong(Long.MAX_VALUE);
        private final LongAdder failures = new LongAdder();

        /// Touched by the one event loop only.
        private final List<Double> millis = new ArrayList<>();

        private volatile boolean isOver;

        Run(Load load, EventLoopGroup loop, SslContext tls) {
            this.load = load;
            this.loop = loop;
            this.tls = tls;
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
                            if (load.proxyPort.isPresent() && load.isHttps) {
                                channel.pipeline().addLast(new Tunnel(Run.this, began));
                            } else {
                                talk(channel, began);
                            }
                        }
                    })
                    .connect(InetAddress.getLoopbackAddress(), load.proxyPort.orElse(load.originPort))
                    .addListener(done -> {
                        if (!done.isSuccess()) {
                            failures.increment();
                        }
                    });
        }

        void talk(Channel channel, long began) {
            if (load.isHttps) {
                SslHandler handler = tls.newHandler(channel.alloc(), load.host, load.originPort);
                // By itself Netty does not name a host without a dot.
                SSLParameters parameters = handler.engine().getSSLParameters();
                parameters.setServerNames(List.of(new SNIHostName(load.host)));
                handler.engine().setSSLParameters(parameters);
                channel.pipeline().addLast(handler);
            }
            channel.pipeline().addLast(new HttpClientCodec()).addLast(new Asker(this, began));
        }

        void answered(long began) {
            long now = System.nanoTime();
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
            ChannelFuture _ =
                    context.writeAndFlush(Unpooled.copiedBuffer(request, java.nio.charset.StandardCharsets.US_ASCII));
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            head.append(((io.netty.buffer.ByteBuf) message).toString(java.nio.charset.StandardCharsets.US_ASCII));
            ReferenceCountUtil.release(message);
            if (head.indexOf("\r\n\r\n") < 0) {
                return;
            }
            if (head.indexOf(" 200 ") < 0) {
                run.failures.increment();
                ChannelFuture _ = context.close();
                return;
            }
            Channel channel = context.channel();
            run.talk(channel, began);
            context.pipeline().remove(this);
            channel.pipeline().fireChannelActive();
        }
    }

    private static final class Asker extends ChannelInboundHandlerAdapter {
        private final Run run;
        private long began;
        private boolean isAsking;

        Asker(Run run, long began) {
            this.run = run;
            this.began = began;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            if (!isAsking) {
                isAsking = true;
                ask(context);
            }
        }

        private void ask(ChannelHandlerContext context) {
            DefaultFullHttpRequest request =
                    new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, run.load.path);
            request.headers().set("host", run.load.host + ":" + run.load.originPort);
            request.headers().set("user-agent", "capsem-bench");
            ChannelFuture _ = context.writeAndFlush(request);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (message instanceof HttpResponse response && response.status().code() != 200) {
                run.failures.increment();
            }
            boolean isLast = message instanceof LastHttpContent;
            ReferenceCountUtil.release(message);
            if (!isLast) {
                return;
            }
            run.answered(began);
            if (run.isOver) {
                ChannelFuture _ = context.close();
            } else if (run.load.reconnects) {
                ChannelFuture _ = context.close();
                run.connect();
            } else {
                began = System.nanoTime();
                ask(context);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            run.failures.increment();
            ChannelFuture _ = context.close();
        }
    }
}
