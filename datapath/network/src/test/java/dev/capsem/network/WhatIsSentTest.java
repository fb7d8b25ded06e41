package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.util.AsciiString;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What leaves is what was judged, and nothing beside it.
@Timeout(180)
@Tag("sockets")
class WhatIsSentTest {
    private static final String SECRET = "-----BEGIN PRIVATE KEY-----";

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nothingFollowsABodyOverHttp1(boolean isHeld) throws Exception {
        Door.Setup setup = new Door.Setup();
        setup.needsBody = _ -> isHeld;
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            assertThat(client.exchange("POST /x HTTP/1.1\r\nHost: " + Door.HOST + ":" + origin.port()
                                    + "\r\nTransfer-Encoding: chunked\r\nTrailer: X-Data\r\n\r\n1\r\nx\r\n0\r\nX-Data: "
                                    + SECRET + "\r\n\r\n")
                            .status())
                    .isEqualTo(200);

            sentWithoutTrailers(origin);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nothingFollowsABodyOverHttp2(boolean isHttp2Upstream) throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, isHttp2Upstream, HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                Http2Guest guest = Http2Guest.tls(door, Door.HOST)) {
            Http2Guest.Stream stream =
                    guest.open(Http2Guest.head("POST", "https", Door.HOST + ":" + origin.port(), "/x"), false);
            stream.data("x", false);
            stream.trailers(new DefaultHttp2Headers().set("x-data", SECRET));

            assertThat(stream.next()).contains("200");
            sentWithoutTrailers(origin);
        }
    }

    private static void sentWithoutTrailers(Origin origin) {
        assertThat(origin.log()).hasSize(1).allSatisfy(seen -> {
            assertThat(seen.text()).isEqualTo("x");
            assertThat(seen.headers()).doesNotContainKeys("x-data", "trailer");
            assertThat(seen.headers().toString()).doesNotContain(SECRET);
        });
    }

    @Test
    void rulesDoNotSeeFieldsThatEndAtThisConnection() throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            client.exchange("GET /x HTTP/1.1\r\nHost: " + Door.HOST + ":" + origin.port()
                    + "\r\nConnection: X-A, keep-alive, content-type\r\nX-A: 1\r\nX-B: 2\r\nContent-Type: a/b\r\n\r\n");

            assertThat(origin.log().getFirst().headers())
                    .doesNotContainKey("x-a")
                    .containsKeys("x-b", "content-type");
            assertThat(door.asked)
                    .filteredOn(SecurityEvent.HttpRequest.class::isInstance)
                    .isNotEmpty()
                    .allSatisfy(event -> {
                        SecurityEvent.HttpRequest request = (SecurityEvent.HttpRequest) event;
                        assertThat(request.headers().value("x-a")).isEmpty();
                        assertThat(request.headers().value("x-b")).contains("2");
                        assertThat(request.headers().value("content-type")).contains("a/b");
                    });
        }
    }

    @Test
    void aPathOverHttp2HasTheCharactersOfOneOverHttp1() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, true, HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                Http2Guest guest = Http2Guest.tls(door, Door.HOST)) {
            Http2Guest.Stream stream = guest.open(
                    Http2Guest.head("GET", "https", Door.HOST + ":" + origin.port(), "/")
                            .path(new AsciiString(new byte[] {'/', (byte) 0xc3, (byte) 0xa9})),
                    true);

            assertThat(stream.next()).contains("400");
            isRefused(door, origin, "visible ASCII");
        }
    }

    @Test
    void anAmbiguousPathIsRefusedByNameAndOnRecord() throws Exception {
        Door.Setup setup = new Door.Setup();
        setup.rules = _ -> Evaluation.blocked(BlockCause.AMBIGUOUS_PATH, "servers may read this path in two ways");
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            Http1Client.Response response =
                    client.exchange("GET //openai/x HTTP/1.1\r\nAccept: application/json\r\nHost: " + Door.HOST + ":"
                            + origin.port() + "\r\n\r\n");

            assertThat(response.status()).isEqualTo(400);
            assertThat(response.text()).contains("ambiguous_path").contains("plain form");
            isRefused(door, origin, "two ways");
        }
    }

    private static void isRefused(Door door, Origin origin, String words) throws InterruptedException {
        NetRow row = door.rows(1).getFirst();
        assertThat(row.decision()).isEqualTo(Outcome.DENIED);
        assertThat(row.policy().reason().orElseThrow()).contains(words);
        assertThat(origin.log()).isEmpty();
    }
}
