package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.util.ReferenceCountUtil;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A message ends in the frame in which its sender ended it: an error of gRPC is one that ends with its head, and to
/// some servers a request that does not has a body.
@Timeout(180)
@SuppressWarnings("FutureReturnValueIgnored")
@Tag("sockets")
class EndOfStreamTest {
    private static void trailersOnly(ChannelHandlerContext ctx) {
        ctx.writeAndFlush(new DefaultHttp2HeadersFrame(
                new DefaultHttp2Headers()
                        .status("200")
                        .set("content-type", "application/grpc")
                        .set("grpc-status", "9")
                        .set("grpc-message", "not now"),
                true));
    }

    private static void emptyData(ChannelHandlerContext ctx) {
        ctx.write(new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().status("200")));
        ctx.writeAndFlush(new DefaultHttp2DataFrame(Unpooled.EMPTY_BUFFER, true));
    }

    /// Writes down the frames of each request as they come, and answers at its end.
    private static Supplier<ChannelHandler> server(List<String> seen, Consumer<ChannelHandlerContext> answer) {
        return () -> new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) {
                boolean isEnd = false;
                if (message instanceof Http2HeadersFrame head) {
                    isEnd = head.isEndStream();
                    seen.add("headers" + (isEnd ? " end" : ""));
                } else if (message instanceof Http2DataFrame data) {
                    isEnd = data.isEndStream();
                    seen.add("data " + data.content().readableBytes() + (isEnd ? " end" : ""));
                }
                ReferenceCountUtil.release(message);
                if (isEnd) {
                    answer.accept(ctx);
                }
            }
        };
    }

    private static String https(int port) {
        return Door.HOST + ":" + port;
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "DELETE", "POST"})
    void aRequestWithoutABodyEndsWithItsHead(String method) throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        try (Origin origin = Origin.http2Streams(true, Door.HOST, server(seen, EndOfStreamTest::trailersOnly));
                Door door = new Door.Setup().open();
                Http2Guest guest = Http2Guest.tls(door, Door.HOST);
                Http1Client http1 = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            Http2Guest.Stream stream = guest.open(Http2Guest.head(method, "https", https(origin.port()), "/a"), true);
            assertThat(stream.next()).contains(":status: 200");
            assertThat(http1.exchange(method + " /b HTTP/1.1\r\nHost: " + https(origin.port()) + "\r\n\r\n")
                            .status())
                    .isEqualTo(200);

            assertThat(seen).containsExactly("headers end", "headers end");
        }
    }

    @Test
    void aRequestThatEndsWithEmptyDataStillDoes() throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        try (Origin origin = Origin.http2Streams(true, Door.HOST, server(seen, EndOfStreamTest::trailersOnly));
                Door door = new Door.Setup().open();
                Http2Guest guest = Http2Guest.tls(door, Door.HOST)) {
            Http2Guest.Stream stream = guest.open(Http2Guest.head("POST", "https", https(origin.port()), "/a"), false);
            stream.data("", true);

            assertThat(stream.next()).contains(":status: 200");
            assertThat(seen).containsExactly("headers", "data 0 end");
        }
    }

    /// @param isHeld whether a rule must see all of the response first
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aResponseThatIsOnlyAHeadEndsWithIt(boolean isHeld) throws Exception {
        Door.Setup setup = new Door.Setup();
        setup.needsBody = _ -> isHeld;
        try (Origin origin = Origin.http2Streams(
                        true, Door.HOST, server(new CopyOnWriteArrayList<>(), EndOfStreamTest::trailersOnly));
                Door door = setup.open();
                Http2Guest guest = Http2Guest.tls(door, Door.HOST)) {
            Http2Guest.Stream stream = guest.open(Http2Guest.head("POST", "https", https(origin.port()), "/a"), false);
            stream.data("x", true);

            assertThat(stream.frame()).contains("grpc-status: 9").contains("grpc-message: not now");
            assertThat(stream.frame()).isEqualTo("end");
            assertThat(door.rows(1).getFirst().statusCode()).hasValue(200);
        }
    }

    @Test
    void aResponseThatEndsWithEmptyDataStillDoes() throws Exception {
        try (Origin origin = Origin.http2Streams(
                        true, Door.HOST, server(new CopyOnWriteArrayList<>(), EndOfStreamTest::emptyData));
                Door door = new Door.Setup().open();
                Http2Guest guest = Http2Guest.tls(door, Door.HOST)) {
            Http2Guest.Stream stream = guest.open(Http2Guest.head("GET", "https", https(origin.port()), "/a"), true);

            assertThat(stream.frame()).contains(":status: 200");
            assertThat(stream.frame()).isEqualTo("data ");
            assertThat(stream.frame()).isEqualTo("end");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 204, 304})
    void anHttp1ResponseWithoutABodyEndsWithItsHead(int status) throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, _ -> {
                    DefaultFullHttpResponse empty = new DefaultFullHttpResponse(
                            HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status), Unpooled.EMPTY_BUFFER);
                    if (status == 200) {
                        empty.headers().set("content-length", "0");
                    }
                    return empty;
                });
                Door door = new Door.Setup().open();
                Http2Guest guest = Http2Guest.tls(door, Door.HOST)) {
            Http2Guest.Stream stream = guest.open(Http2Guest.head("DELETE", "https", https(origin.port()), "/a"), true);

            assertThat(stream.frame()).contains(":status: " + status);
            assertThat(stream.frame()).isEqualTo("end");
        }
    }
}
