package dev.capsem.network.http;

import dev.capsem.events.row.Outcome;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.network.http.codec.ConnectionWindow;
import dev.capsem.network.http.codec.FrameWatch;
import dev.capsem.network.http.codec.RequestDecoder;
import dev.capsem.network.http.codec.ResponseEncoder;
import dev.capsem.network.http.head.ConnectionFacts;
import dev.capsem.network.http.head.Refused;
import dev.capsem.network.http.limit.Limits;
import dev.capsem.network.tls.GuestTls;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The pipeline of a guest's connection, by its protocol.
@SuppressWarnings("FutureReturnValueIgnored")
final class GuestPipeline {
    private final Stage stage;
    private final GuestTls tls;

    GuestPipeline(Stage stage, GuestTls tls) {
        this.stage = stage;
        this.tls = tls;
    }

    void startTls(Channel channel, ConnectionFacts facts) {
        // A client that closes its sending half before it has said what it wants has left.
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, false);
        channel.pipeline().addLast(new TlsStart(stage, this, tls, facts));
    }

    void startHttp1(Channel channel, ConnectionFacts facts) {
        RequestDecoder decoder = new RequestDecoder();
        ResponseEncoder encoder = new ResponseEncoder();
        channel.pipeline()
                .addLast(
                        decoder,
                        encoder,
                        new GuestHandler(stage, this, facts, Optional.of(new GuestHandler.Http1(decoder, encoder))));
    }

    /// @param refused told why a peer's frames end the connection
    static Http2FrameCodec http2Codec(FrameWatch.Refused refused) {
        return Http2FrameCodecBuilder.forServer()
                .initialSettings(new Http2Settings()
                        .maxConcurrentStreams(Limits.STREAMS_PER_CONNECTION)
                        .maxHeaderListSize(Limits.HTTP2_HEADER_BLOCK_BYTES)
                        .initialWindowSize(Limits.STREAM_WINDOW_BYTES))
                .decoderEnforceMaxRstFramesPerWindow(Limits.RESETS_PER_WINDOW, Limits.RESET_WINDOW_SECONDS)
                .validateHeaders(true)
                .validateRequiredPseudoHeaders(true)
                .decoderEnforceMaxSmallContinuationFrames(Limits.SMALL_CONTINUATIONS)
                .decoderEnforceMaxConsecutiveEmptyDataFrames(Limits.EMPTY_DATA_FRAMES)
                .encoderEnforceMaxRstFramesPerWindow(Limits.RESETS_PER_WINDOW, Limits.RESET_WINDOW_SECONDS)
                .frameLogger(new FrameWatch(refused))
                .build();
    }

    void startHttp2(Channel channel, ConnectionFacts facts) {
        // On HTTP/2 streams have ends of their own: a client that closes its sending half has left.
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, false);
        ChannelPipeline pipeline = channel.pipeline();
        GuestHttp2Connection connection = new GuestHttp2Connection(stage, facts);
        pipeline.addLast(
                http2Codec(reason -> refused(facts, facts.connectionType(), reason)),
                new Http2MultiplexHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel stream) {
                        connection.opened();
                        stream.pipeline()
                                .addLast(
                                        new Http2StreamFrameToHttpObjectCodec(true),
                                        new GuestHandler(stage, GuestPipeline.this, facts, Optional.empty()));
                    }

                    @Override
                    public boolean isSharable() {
                        return true;
                    }
                }),
                new ConnectionWindow(),
                connection);
    }

    /// The protocol inside a CONNECT is detected as on a connection of its own.
    void insideConnect(Channel channel, ConnectionFacts facts) {
        channel.pipeline().addLast(new InsideConnect(stage, this, facts));
    }

    /// A connection that never became HTTP is on record all the same.
    void refused(ConnectionFacts facts, String type, String reason) {
        refused(stage, facts, type, Outcome.DENIED, reason);
    }

    static void refused(Stage stage, ConnectionFacts facts, String type, Outcome outcome, String reason) {
        String host = facts.name()
                .or(() -> facts.destination().flatMap(stage.ledger()::nameOf))
                .or(() -> facts.destination().map(java.net.InetAddress::getHostAddress))
                .orElse(Refused.UNKNOWN_HOST);
        int port = facts.portOr(facts.isTls() || type.equals("https-mitm") ? 443 : 80);
        var envelope = stage.envelopes().inline(Correlation.NONE);
        Duration open = Duration.ofNanos(System.nanoTime() - facts.openedNanos());
        stage.recorder()
                .note(() ->
                        List.of(Refused.connection(envelope, facts.caller(), host, port, type, outcome, open, reason)));
    }
}
