package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Answers that come before all was said, and guests that stop speaking before they are answered.
@Timeout(180)
@Tag("sockets")
class EarlyAnswersTest {
    private static final int ROUNDS = 40;

    /// Answers when it has seen a head, and hangs up on the rest.
    private static final class Impatient implements AutoCloseable {
        private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final List<String> heads = new CopyOnWriteArrayList<>();
        private final String answer;

        Impatient(String answer) throws IOException {
            this.answer = answer;
            Thread.ofVirtual().start(this::serve);
        }

        private void serve() {
            while (!listener.isClosed()) {
                try (Socket socket = listener.accept()) {
                    heads.add(head(socket.getInputStream()));
                    socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                } catch (IOException over) {
                    // The next one, if there is one.
                }
            }
        }

        private static String head(InputStream in) throws IOException {
            StringBuilder head = new StringBuilder();
            for (int b = in.read(); b >= 0; b = in.read()) {
                head.append((char) b);
                if (head.indexOf("\r\n\r\n") >= 0) {
                    break;
                }
            }
            return head.toString();
        }

        int port() {
            return listener.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }

    /// Its connection is reset while the upload is under way.
    @Test
    void anUploadThatIsTooLargeIsToldSo() throws Exception {
        String answer = "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 3\r\n\r\nno\n";
        byte[] upload = new byte[4 * 1024 * 1024];
        try (Impatient origin = new Impatient(answer);
                Door door = new Door.Setup().open()) {
            for (int round = 0; round < ROUNDS; round++) {
                try (Http1Client client = new Http1Client(door.connect(origin.port()))) {
                    client.send("POST /u HTTP/1.1\r\nHost: " + Door.HOST + ":" + origin.port() + "\r\nContent-Length: "
                            + upload.length + "\r\n\r\n");
                    Thread sender = Thread.ofVirtual().start(() -> sendAll(client, upload));
                    Http1Client.Response response = client.read(false);
                    sender.join();

                    assertThat(response.status())
                            .as("round %d: %s", round, response.text())
                            .isEqualTo(413);
                    assertThat(response.headers()).containsEntry("connection", "close");
                }
            }
            assertThat(door.rows(ROUNDS)).allMatch(row -> row.statusCode().orElse(0) == 413);
        }
    }

    private static void sendAll(Http1Client client, byte[] upload) {
        try {
            client.send(upload);
        } catch (IOException nobodyReadsIt) {
            // As it should be.
        }
    }

    @Test
    void anExpectationThatFailsEndsTheConnectionAndSaysSo() throws Exception {
        try (Impatient origin = new Impatient("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n");
                Door door = new Door.Setup().open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            Http1Client.Response response = client.exchange("POST /u HTTP/1.1\r\nHost: " + Door.HOST + ":"
                    + origin.port() + "\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");

            assertThat(response.status()).isEqualTo(417);
            assertThat(response.headers()).containsEntry("connection", "close");
            assertThat(client.stream().read()).isEqualTo(-1);
            assertThat(origin.heads).hasSize(1);
        }
    }

    /// By its TCP connection alone: the end of what it says, not of what it hears.
    @Test
    void aGuestThatClosesItsSendingHalfOverTlsIsAnswered() throws Exception {
        Door.Setup setup = new Door.Setup();
        setup.settings = setup.settings.withEventLoops(1);
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                SlowOrigin slow = new SlowOrigin();
                Door door = setup.open();
                Socket tcp = door.connect(slow.port());
                SSLSocket tls = (SSLSocket) Door.trust().getSocketFactory().createSocket(tcp, Door.HOST, 443, false);
                Http1Client client = new Http1Client(tls);
                Http1Client other = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            client.send("GET /half HTTP/1.1\r\nHost: " + Door.HOST + ":" + slow.port() + "\r\n\r\n");
            slow.awaitRequest();
            tcp.shutdownOutput();
            // All of it over the same loop, which therefore has seen the end by then.
            other.exchange("GET /b HTTP/1.1\r\nHost: " + Door.HOST + ":" + origin.port() + "\r\n\r\n");
            slow.answer();

            assertThat(client.read(false).text()).isEqualTo("late");
            assertThat(door.rows(2)).extracting(NetRow::decision).containsOnly(Outcome.ALLOWED);
        }
    }

    @Test
    void aGuestThatLeavesTlsIsNotWaitedFor() throws Exception {
        try (SlowOrigin slow = new SlowOrigin();
                Door door = new Door.Setup().open()) {
            try (Http1Client client = new Http1Client(door.tls(slow.port(), Door.HOST))) {
                client.send("GET /gone HTTP/1.1\r\nHost: " + Door.HOST + ":" + slow.port() + "\r\n\r\n");
                slow.awaitRequest();
            }
            assertThat(door.rows(1).getFirst().decision()).isEqualTo(Outcome.ERROR);
            assertThat(door.rows(1).getFirst().policy().reason().orElseThrow()).contains("the guest left");
        }
    }

    /// A program that is killed leaves so: without a word in TLS.
    @Test
    void aGuestThatFallsSilentOverTlsIsNotWaitedForLong() throws Exception {
        try (SlowOrigin slow = new SlowOrigin();
                Door door = new Door.Setup().open();
                Socket tcp = door.connect(slow.port());
                SSLSocket tls = (SSLSocket) Door.trust().getSocketFactory().createSocket(tcp, Door.HOST, 443, false);
                Http1Client client = new Http1Client(tls)) {
            client.send("GET /gone HTTP/1.1\r\nHost: " + Door.HOST + ":" + slow.port() + "\r\n\r\n");
            slow.awaitRequest();
            tcp.shutdownOutput();

            assertThat(door.rows(1).getFirst().policy().reason().orElseThrow()).contains("the guest left");
        }
    }

    /// Answers over TLS when it is told to.
    private static final class SlowOrigin implements AutoCloseable {
        private final java.util.concurrent.CountDownLatch asked = new java.util.concurrent.CountDownLatch(1);
        private final java.util.concurrent.CountDownLatch mayAnswer = new java.util.concurrent.CountDownLatch(1);
        private final Origin origin;

        SlowOrigin() throws Exception {
            origin = Origin.tls(Door.ORIGINS, Door.HOST, false, _ -> {
                asked.countDown();
                try {
                    mayAnswer.await();
                } catch (InterruptedException over) {
                    Thread.currentThread().interrupt();
                }
                byte[] late = "late".getBytes(StandardCharsets.US_ASCII);
                var response = new io.netty.handler.codec.http.DefaultFullHttpResponse(
                        io.netty.handler.codec.http.HttpVersion.HTTP_1_1,
                        io.netty.handler.codec.http.HttpResponseStatus.OK,
                        io.netty.buffer.Unpooled.wrappedBuffer(late));
                response.headers().set("content-length", late.length);
                return response;
            });
        }

        int port() {
            return origin.port();
        }

        void awaitRequest() throws InterruptedException {
            asked.await();
        }

        void answer() {
            mayAnswer.countDown();
        }

        @Override
        public void close() {
            answer();
            origin.close();
        }
    }
}
