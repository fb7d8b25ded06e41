package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.network.http.limit.Timeouts;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What is no HTTP, or never becomes it: nothing of it leaves, its user is told where that can be, and it is on record.
@Timeout(180)
@Tag("sockets")
class RefusedConnectionsTest {
    /// What a test waits for in vain.
    private static final Duration SHORT = Duration.ofMillis(300);

    /// What must suffice on a busy machine for what comes before.
    private static final Duration LONGER = Duration.ofSeconds(5);

    private static Door.Setup waiting(Duration handshake, Duration firstByte, Duration requestHead) {
        Timeouts usual = Door.PATIENT;
        Door.Setup setup = new Door.Setup();
        setup.settings = setup.settings.withTimeouts(new Timeouts(
                usual.connect(),
                handshake,
                firstByte,
                requestHead,
                usual.guestIdle(),
                usual.responseHead(),
                usual.bodyIdle(),
                usual.heldStream(),
                usual.upstreamIdle()));
        return setup;
    }

    private static void say(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    /// All that the guest is told until the connection's end.
    private static String heard(Socket socket) throws IOException {
        try {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (IOException reset) {
            return "reset";
        }
    }

    private static NetRow refused(Door door, Origin origin) throws InterruptedException {
        assertThat(door.rows(1)).hasSize(1);
        NetRow row = door.rows(1).getFirst();
        assertThat(row.decision()).isEqualTo(Outcome.DENIED);
        assertThat(row.policy().action()).contains("block");
        assertThat(door.recorded)
                .extracting(exchange -> exchange.event().judgement().finalAction())
                .isSubsetOf(FinalAction.BLOCK, FinalAction.DROP_CONNECTION);
        assertThat(origin.connections()).isZero();
        return row;
    }

    /// @param told a part of what the guest gets to read, without waiting for anything
    @ParameterizedTest
    @CsvSource({
        "SSH-2.0-OpenSSH_9.2p1 Debian-2, SSH is not carried, SSH-2.0-Capsem",
        "EHLO mail.example, SMTP is not carried, 554 5.7.1 Capsem",
        "*1, Redis is not carried, -ERR Capsem",
        "PING, no request of HTTP, Capsem:",
        "NICK me, IRC is not carried, ERROR :Capsem",
    })
    void otherProtocolsAreToldAtTheirFirstLine(String line, String reason, String told) throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                Socket socket = door.connect(origin.port())) {
            say(socket, line + "\r\n");

            assertThat(heard(socket)).startsWith(told);
            NetRow row = refused(door, origin);
            assertThat(row.policy().reason().orElseThrow()).contains(reason);
            assertThat(row.connectionType()).isEqualTo("tcp");
            assertThat(row.domain()).isEqualTo("127.0.0.1");
            assertThat(row.port()).isEqualTo(origin.port());
            assertThat(row.caller().processName()).contains("curl");
        }
    }

    @ParameterizedTest
    @CsvSource({"'', nothing was said", "GET / HT, first line did not end"})
    void silenceIsNotWaitedForLongAndIsOnRecord(String said, String reason) throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = waiting(Door.PATIENT.guestHandshake(), said.isEmpty() ? SHORT : LONGER, LONGER)
                        .open();
                Socket socket = door.connect(origin.port())) {
            say(socket, said);

            heard(socket);
            NetRow row = refused(door, origin);
            assertThat(row.policy().reason().orElseThrow()).contains(reason);
            assertThat(row.port()).isEqualTo(origin.port());
            assertThat(row.duration()).isGreaterThanOrEqualTo(SHORT);
        }
    }

    @Test
    void http09IsAnsweredAtOnceAndOnRecord() throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                Socket socket = door.connect(origin.port())) {
            say(socket, "GET /\r\n");

            assertThat(heard(socket)).startsWith("HTTP/1.1 400 ");
            assertThat(refused(door, origin).policy().reason().orElseThrow()).contains("and a version");
        }
    }

    @Test
    void halfAHeadIsAnsweredAndOnRecord() throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = waiting(Door.PATIENT.guestHandshake(), Door.PATIENT.firstByte(), LONGER)
                        .open();
                Socket socket = door.connect(origin.port())) {
            say(socket, "GET / HTTP/1.1\r\nHost: " + Door.HOST + "\r\n");

            assertThat(heard(socket)).startsWith("HTTP/1.1 408 ");
            assertThat(refused(door, origin).policy().reason().orElseThrow()).contains("did not arrive within");
        }
    }

    @Test
    void aHeadThatEndsInTheMiddleIsAnsweredAndOnRecord() throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                Socket socket = door.connect(origin.port())) {
            say(socket, "GET / HTTP/1.1\r\nHost: " + Door.HOST + "\r\n");
            socket.shutdownOutput();

            assertThat(heard(socket)).startsWith("HTTP/1.1 400 ");
            assertThat(refused(door, origin).policy().reason().orElseThrow()).contains("ended within");
        }
    }

    @Test
    void aHeadWhoseSenderLeavesIsOnRecord() throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = new Door.Setup().open()) {
            try (Socket socket = door.tls(origin.port(), Door.HOST)) {
                say(socket, "GET / HTTP/1.1\r\nHost: " + Door.HOST + "\r\n");
            }
            assertThat(refused(door, origin).policy().reason().orElseThrow()).contains("ended within");
        }
    }

    @Test
    void otherProtocolsInsideTlsAreToldAtTheirFirstLine() throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                Socket socket = door.tls(origin.port(), Door.HOST)) {
            say(socket, "NICK me\r\nUSER me 0 * :me\r\n");

            assertThat(heard(socket)).startsWith("HTTP/1.1 400 ");
            assertThat(refused(door, origin).domain()).isEqualTo(Door.HOST);
        }
    }

    /// @param leaves whether it is the guest that ends it
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void tlsWithoutARequestIsOnRecord(boolean leaves) throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = waiting(
                                Door.PATIENT.guestHandshake(),
                                Door.PATIENT.firstByte(),
                                leaves ? Door.PATIENT.requestHead() : LONGER)
                        .open()) {
            Socket socket = door.tls(origin.port(), Door.HOST);
            if (leaves) {
                socket.close();
            } else {
                heard(socket);
            }
            NetRow row = refused(door, origin);
            assertThat(row.domain()).isEqualTo(Door.HOST);
            assertThat(row.connectionType()).isEqualTo("https-mitm");
            assertThat(row.policy().reason().orElseThrow()).contains(leaves ? "without a request" : "no request came");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void halfAClientHelloIsOnRecord(boolean leaves) throws Exception {
        Door.Setup setup =
                leaves ? new Door.Setup() : waiting(SHORT, Door.PATIENT.firstByte(), Door.PATIENT.requestHead());
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open()) {
            Socket socket = door.connect(origin.port());
            say(socket, "\u0016\u0003\u0001\u0001\u0000\u0001");
            if (leaves) {
                socket.close();
            } else {
                heard(socket);
            }
            assertThat(refused(door, origin).policy().reason().orElseThrow()).contains("did not come whole");
        }
    }

    @Test
    void http2WithoutARequestIsOnRecord() throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = new Door.Setup().open()) {
            Http2Guest.tls(door, Door.HOST).close();
            assertThat(refused(door, origin).policy().reason().orElseThrow()).contains("without a request");
        }
    }

    @ParameterizedTest
    @CsvSource({"SSH-2.0-x, SSH is not carried", "'', nothing that is carried was said"})
    void whatIsInsideAConnectIsToldAsWell(String line, String reason) throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = waiting(
                                Door.PATIENT.guestHandshake(),
                                line.isEmpty() ? LONGER : Door.PATIENT.firstByte(),
                                Door.PATIENT.requestHead())
                        .open();
                Socket socket = door.bare()) {
            String to = Door.HOST + ":" + origin.port();
            say(socket, "CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\n\r\n");
            say(socket, line.isEmpty() ? "" : line + "\r\n");

            assertThat(heard(socket)).startsWith("HTTP/1.1 200 ").contains(line.isEmpty() ? "" : "SSH-2.0-Capsem");
            NetRow row = refused(door, origin);
            assertThat(row.domain()).isEqualTo(Door.HOST);
            assertThat(row.policy().reason().orElseThrow()).contains(reason);
        }
    }
}
