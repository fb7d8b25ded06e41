package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Both directions of a call stream at once, and its outcome is in the trailers.
@Timeout(180)
@Tag("sockets")
class GrpcTest {
    /// Answers each message as it comes, and ends with trailers when the caller does.
    @SuppressWarnings("FutureReturnValueIgnored")
    private static ChannelHandler echo() {
        return new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) {
                if (message instanceof Http2HeadersFrame) {
                    ctx.writeAndFlush(new DefaultHttp2HeadersFrame(
                            new DefaultHttp2Headers().status("200").set("content-type", "application/grpc")));
                } else if (message instanceof Http2DataFrame data) {
                    if (data.content().isReadable()) {
                        ctx.writeAndFlush(new DefaultHttp2DataFrame(data.content()));
                    } else {
                        data.release();
                    }
                    if (data.isEndStream()) {
                        ctx.writeAndFlush(new DefaultHttp2HeadersFrame(
                                new DefaultHttp2Headers()
                                        .set("grpc-status", "0")
                                        .set("grpc-message", "fine"),
                                true));
                    }
                }
            }
        };
    }

    private static Http2Headers call(boolean isTls, int port) {
        return Http2Guest.head("POST", isTls ? "https" : "http", Door.HOST + ":" + port, "/echo.Echo/Both")
                .set("content-type", "application/grpc")
                .set("te", "trailers");
    }

    /// @param isTls without it HTTP/2 is spoken with prior knowledge, as plain gRPC does
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void messagesPassAsTheyComeAndTrailersAtTheEnd(boolean isTls) throws Exception {
        try (Origin origin = Origin.http2Streams(isTls, Door.HOST, GrpcTest::echo);
                Door door = new Door.Setup().open();
                Http2Guest guest = isTls ? Http2Guest.tls(door, Door.HOST) : Http2Guest.plain(door)) {
            Http2Guest.Stream stream = guest.open(call(isTls, origin.port()), false);
            stream.data("one", false);
            assertThat(stream.next()).contains(":status: 200").contains("application/grpc");
            assertThat(stream.next()).isEqualTo("data one");
            stream.data("two", false);
            assertThat(stream.next()).isEqualTo("data two");
            stream.data("three", true);
            assertThat(stream.next()).isEqualTo("data three");

            assertThat(stream.next()).contains("grpc-status: 0").contains("grpc-message: fine");
            assertThat(stream.next()).isEqualTo("end");
            NetRow row = door.rows(1).getFirst();
            assertThat(row.decision()).isEqualTo(Outcome.ALLOWED);
            assertThat(row.bytesSent()).isEqualTo("onetwothree".length());
            assertThat(row.bytesReceived()).isEqualTo("onetwothree".length());
        }
    }

    @Test
    void plainHttp2IsUnderPolicyLikeAnyOther() throws Exception {
        Door.Setup setup = new Door.Setup();
        setup.rules = _ -> HttpsExchangeTest.block("no", "not this");
        try (Origin origin = Origin.http2Streams(false, Door.HOST, GrpcTest::echo);
                Door door = setup.open();
                Http2Guest guest = Http2Guest.plain(door)) {
            Http2Guest.Stream stream = guest.open(call(false, origin.port()), true);

            assertThat(stream.next()).contains(":status: 403");
            assertThat(door.rows(1).getFirst().decision()).isEqualTo(Outcome.DENIED);
            assertThat(origin.connections()).isZero();
        }
    }

    @Test
    void aPlainHttp2GuestThatLeavesIsNoticed() throws Exception {
        try (Origin origin = Origin.http2Streams(false, Door.HOST, GrpcTest::echo);
                Door door = new Door.Setup().open()) {
            try (Http2Guest guest = Http2Guest.plain(door)) {
                Http2Guest.Stream stream = guest.open(call(false, origin.port()), false);
                stream.data("one", false);
                assertThat(stream.next()).contains(":status: 200");
            }
            assertThat(door.rows(1).getFirst().decision()).isEqualTo(Outcome.ERROR);
        }
    }
}
