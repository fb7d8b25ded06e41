package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
@Tag("sockets")
class SmugglingTest {
    /// @param bytes what is sent; `HOST` stands for the host
    private record Shape(String name, int status, String bytes) {}

    private static final List<Shape> SHAPES = List.of(
            new Shape(
                    "length and chunked",
                    400,
                    "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            new Shape(
                    "two lengths",
                    400,
                    "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcd"),
            new Shape(
                    "two equal lengths",
                    400,
                    "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\nabcd"),
            new Shape("a list of lengths", 400, "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 4, 4\r\n\r\nabcd"),
            new Shape("a signed length", 400, "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: +4\r\n\r\nabcd"),
            new Shape("a hexadecimal length", 400, "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 0x4\r\n\r\nabcd"),
            new Shape("a folded header", 400, "GET / HTTP/1.1\r\nHost: HOST\r\nX-A: b\r\n c\r\n\r\n"),
            new Shape("a folded first header", 400, "GET / HTTP/1.1\r\n Host: HOST\r\n\r\n"),
            new Shape("bare line feeds", 400, "GET / HTTP/1.1\nHost: HOST\n\n"),
            new Shape("one bare line feed", 400, "GET / HTTP/1.1\r\nHost: HOST\r\nX-A: b\nX-B: c\r\n\r\n"),
            new Shape("a bare carriage return", 400, "GET / HTTP/1.1\r\nHost: HOST\r\nX-A: b\rX-B: c\r\n\r\n"),
            new Shape(
                    "a space before the colon", 400, "GET / HTTP/1.1\r\nHost: HOST\r\nContent-Length : 4\r\n\r\nabcd"),
            new Shape(
                    "a disguised coding",
                    400,
                    "POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
            new Shape(
                    "a second coding",
                    400,
                    "POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"),
            new Shape(
                    "a list of codings",
                    400,
                    "POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
            new Shape(
                    "a coding with a tab within",
                    400,
                    "POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chun\tked\r\n\r\n0\r\n\r\n"),
            new Shape(
                    "a coding in HTTP/1.0",
                    400,
                    "POST / HTTP/1.0\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            new Shape("a null in a value", 400, "GET / HTTP/1.1\r\nHost: HOST\r\nX-A: b\0c\r\n\r\n"),
            new Shape("a null in a name", 400, "GET / HTTP/1.1\r\nHost: HOST\r\nX-\0A: b\r\n\r\n"),
            new Shape("two spaces in the request line", 400, "GET  / HTTP/1.1\r\nHost: HOST\r\n\r\n"),
            new Shape("a tab in the request line", 400, "GET\t/ HTTP/1.1\r\nHost: HOST\r\n\r\n"),
            new Shape("no version", 400, "GET /\r\nHost: HOST\r\n\r\n"),
            new Shape("another version", 505, "GET / HTTP/1.2\r\nHost: HOST\r\n\r\n"),
            new Shape("no host", 400, "GET / HTTP/1.1\r\nX-A: b\r\n\r\n"),
            new Shape("two hosts", 400, "GET / HTTP/1.1\r\nHost: HOST\r\nHost: other.example\r\n\r\n"),
            new Shape("a host with user information", 400, "GET / HTTP/1.1\r\nHost: a@HOST\r\n\r\n"),
            new Shape("a host spelled as a number", 400, "GET / HTTP/1.1\r\nHost: 2130706433\r\n\r\n"),
            new Shape("a host with a zone", 400, "GET / HTTP/1.1\r\nHost: [::1%lo]\r\n\r\n"),
            new Shape("a host with an escaped zone", 400, "GET / HTTP/1.1\r\nHost: [fe80::1%25eth0]\r\n\r\n"),
            new Shape("a target with a zone", 400, "GET http://[::1%lo]/ HTTP/1.1\r\nHost: [::1%lo]\r\n\r\n"),
            new Shape("a method beyond measure", 400, "A".repeat(200) + " / HTTP/1.1\r\nHost: HOST\r\n\r\n"),
            new Shape(
                    "a target and a host that differ", 400, "GET http://other.example/ HTTP/1.1\r\nHost: HOST\r\n\r\n"),
            new Shape("a target without a slash", 400, "GET index.html HTTP/1.1\r\nHost: HOST\r\n\r\n"),
            new Shape("a fragment in the target", 400, "GET /a#b HTTP/1.1\r\nHost: HOST\r\n\r\n"),
            new Shape(
                    "a header block too large",
                    431,
                    "GET / HTTP/1.1\r\nHost: HOST\r\nX-A: " + "b".repeat(70_000) + "\r\n\r\n"));

    /// These break only after the head, which is why nothing may have left by then.
    private static final List<Shape> BROKEN_BODIES = List.of(
            new Shape(
                    "a chunk size that is none",
                    400,
                    "POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n"),
            new Shape(
                    "a chunk longer than it says",
                    400,
                    "POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n"),
            new Shape(
                    "a chunk line with a bare feed",
                    400,
                    "POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n"),
            new Shape(
                    "a chunk size too long",
                    400,
                    "POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n00000000000000003\r\nabc\r\n0\r\n\r\n"),
            new Shape(
                    "a length among the trailers",
                    400,
                    "POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nContent-Length: 3\r\n\r\n"));

    @Test
    void refusesWhateverTwoReadersCouldReadInTwoWays() throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = new Door.Setup().open()) {
            int count = 0;
            for (Shape shape : SHAPES) {
                try (Http1Client client = new Http1Client(door.connect(origin.port()))) {
                    client.send(shape.bytes().replace("HOST", Door.HOST));

                    assertThat(client.read(false).status()).as(shape.name()).isEqualTo(shape.status());
                    assertThat(client.stream().read())
                            .as("%s: closed", shape.name())
                            .isEqualTo(-1);
                }
                assertThat(door.rows(++count)).as(shape.name()).hasSize(count);
            }

            assertThat(origin.log()).isEmpty();
            assertThat(origin.connections()).isZero();
            assertThat(door.rows(count)).extracting(NetRow::decision).containsOnly(Outcome.DENIED);
            assertThat(door.asked).isEmpty();
        }
    }

    @Test
    void refusesBodiesThatBreakWhileTheyAreRead() throws Exception {
        Door.Setup setup = new Door.Setup();
        setup.needsBody = _ -> true;
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open()) {
            for (Shape shape : BROKEN_BODIES) {
                try (Http1Client client = new Http1Client(door.connect(origin.port()))) {
                    client.send(shape.bytes().replace("HOST", Door.HOST));

                    assertThat(client.read(false).status()).as(shape.name()).isEqualTo(shape.status());
                }
            }

            assertThat(origin.log()).isEmpty();
            assertThat(door.rows(BROKEN_BODIES.size()))
                    .hasSize(BROKEN_BODIES.size())
                    .extracting(NetRow::decision)
                    .containsOnly(Outcome.DENIED);
        }
    }

    @Test
    void aSecondRequestHiddenBehindTheFirstIsARequestLikeAnyOther() throws Exception {
        Door.Setup setup = new Door.Setup();
        setup.rules = event -> event instanceof dev.capsem.events.security.SecurityEvent.HttpRequest request
                        && request.path().equals("/hidden")
                ? HttpsExchangeTest.block("hidden", "not this one")
                : Door.allow();
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            client.send(
                    "GET /seen HTTP/1.1\r\nHost: HOST\r\n\r\nGET /hidden HTTP/1.1\r\nHost: HOST\r\n\r\nGET /third HTTP/1.1\r\nHost: HOST\r\n\r\n"
                            .replace("HOST", Door.HOST));

            assertThat(client.read(false).text()).isEqualTo("hello /seen");
            assertThat(client.read(false).status()).isEqualTo(403);
            assertThat(client.read(false).text()).isEqualTo("hello /third");
            assertThat(origin.log()).extracting(Origin.Seen::uri).containsExactly("/seen", "/third");
        }
    }
}
