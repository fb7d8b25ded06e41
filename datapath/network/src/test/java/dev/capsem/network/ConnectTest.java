package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a client speaks in clear text inside a tunnel that it asked an explicit proxy for.
@SuppressWarnings("FutureReturnValueIgnored")
@Timeout(180)
@Tag("sockets")
class ConnectTest {
    private final AtomicInteger reached = new AtomicInteger();

    private ChannelHandler noContent() {
        return new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) {
                if (message instanceof Http2HeadersFrame) {
                    reached.incrementAndGet();
                    ctx.writeAndFlush(new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().status("204"), true));
                }
                ReferenceCountUtil.release(message);
            }
        };
    }

    private static Http1Client tunnel(Door door, String to, String first) throws IOException {
        Http1Client client = new Http1Client(door.bare());
        client.send("CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\n\r\n" + first);
        assertThat(client.read(true).status()).isEqualTo(200);
        return client;
    }

    @Test
    void carriesHttp2WithPriorKnowledge() throws Exception {
        try (Origin origin = Origin.http2Streams(false, Door.HOST, this::noContent);
                Door door = new Door.Setup().open();
                Http2Guest guest = Http2Guest.insideConnect(door, Door.HOST + ":" + origin.port())) {
            String authority = Door.HOST + ":" + origin.port();
            for (int i = 0; i < 2; i++) {
                Http2Guest.Stream stream = guest.open(Http2Guest.head("GET", "http", authority, "/" + i), true);
                assertThat(stream.next()).contains(":status: 204");
            }

            assertThat(reached).hasValue(2);
            assertThat(door.rows(2)).allSatisfy(row -> {
                assertThat(row.decision()).isEqualTo(Outcome.ALLOWED);
                assertThat(row.connectionType()).isEqualTo("http-mitm");
                assertThat(row.domain()).isEqualTo(Door.HOST);
                assertThat(row.port()).isEqualTo(origin.port());
                assertThat(row.statusCode()).hasValue(204);
            });
        }
    }

    @Test
    void http2InsideLeadsNowhereElse() throws Exception {
        try (Origin origin = Origin.http2Streams(false, Door.HOST, this::noContent);
                Door door = new Door.Setup().open();
                Http2Guest guest = Http2Guest.insideConnect(door, "allowed.example:" + origin.port())) {
            Http2Guest.Stream stream =
                    guest.open(Http2Guest.head("GET", "http", Door.HOST + ":" + origin.port(), "/"), true);

            assertThat(stream.next()).contains(":status: 421");
            assertThat(reached).hasValue(0);
            NetRow row = door.rows(1).getFirst();
            assertThat(row.decision()).isEqualTo(Outcome.DENIED);
            assertThat(row.policy().reason().orElseThrow()).contains("host_mismatch");
        }
    }

    @Test
    void carriesHttp1AndKeepsItsConnection() throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                Http1Client client = tunnel(door, Door.HOST + ":" + origin.port(), "")) {
            String host = "Host: " + Door.HOST + ":" + origin.port() + "\r\n\r\n";
            assertThat(client.exchange("GET /a HTTP/1.1\r\n" + host).text()).isEqualTo("hello /a");
            assertThat(client.exchange("POST /b HTTP/1.1\r\nContent-Length: 0\r\n" + host)
                            .text())
                    .isEqualTo("hello /b");

            assertThat(door.rows(2)).allSatisfy(row -> {
                assertThat(row.decision()).isEqualTo(Outcome.ALLOWED);
                assertThat(row.connectionType()).isEqualTo("http-mitm");
                assertThat(row.port()).isEqualTo(origin.port());
            });
            assertThat(origin.log()).extracting(Origin.Seen::uri).containsExactly("/a", "/b");
        }
    }

    @Test
    void carriesWhatWasSentBeforeTheProxyAgreed() throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                Http1Client client = tunnel(
                        door,
                        Door.HOST + ":" + origin.port(),
                        "GET /early HTTP/1.1\r\nHost: " + Door.HOST + ":" + origin.port() + "\r\n\r\n")) {
            assertThat(client.read(false).text()).isEqualTo("hello /early");
            assertThat(door.rows(1)).hasSize(1);
        }
    }

    @Test
    void http1InsideLeadsNowhereElse() throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                Http1Client client = tunnel(door, "allowed.example:" + origin.port(), "")) {
            assertThat(client.exchange("GET / HTTP/1.1\r\nHost: " + Door.HOST + ":" + origin.port() + "\r\n\r\n")
                            .status())
                    .isEqualTo(421);
            assertThat(origin.connections()).isZero();
            assertThat(door.rows(1).getFirst().decision()).isEqualTo(Outcome.DENIED);
        }
    }

    @Test
    void otherThingsAreRefusedAndRecorded() throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                Http1Client client = tunnel(door, Door.HOST + ":" + origin.port(), "")) {
            client.send("\0ssh?");

            assertThat(client.stream().read()).isEqualTo(-1);
            NetRow row = door.rows(1).getFirst();
            assertThat(row.decision()).isEqualTo(Outcome.DENIED);
            assertThat(row.connectionType()).isEqualTo("tcp");
            assertThat(row.policy().reason().orElseThrow()).contains("inside CONNECT");
            assertThat(origin.connections()).isZero();
        }
    }
}
