package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.FinalAction;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Rules that read the messages of a WebSocket.
@SuppressWarnings("FutureReturnValueIgnored")
@Timeout(180)
@Tag("sockets")
class WebSocketMessagesTest {
    private final WebSocketTest.Echo echo = new WebSocketTest.Echo();
    private final Door.Setup setup = new Door.Setup();

    /// As the engine does it: whatever cannot be seen through counts as the worst.
    private static boolean isSecret(Body body) {
        return body instanceof Body.TooLarge
                || (body instanceof Body.Text text && text.text().contains("secret"));
    }

    private void readMessagesSent(Function<SecurityEvent.HttpRequest, Evaluation> rules) {
        setup.needsBody = SecurityEvent.HttpRequest.class::isInstance;
        setup.rules = event -> event instanceof SecurityEvent.HttpRequest request ? rules.apply(request) : Door.allow();
    }

    private void blockSecrets() {
        readMessagesSent(request ->
                isSecret(request.body()) ? HttpsExchangeTest.block("no_secrets", "keep it to yourself") : Door.allow());
    }

    /// A client that says exactly what the test says.
    private static final class Raw implements AutoCloseable {
        private final Http1Client client;

        Raw(Door door, Origin origin, String... headers) throws IOException {
            client = new Http1Client(door.connect(origin.port()));
            client.send("GET /ws HTTP/1.1\r\nHost: " + Door.HOST + ":" + origin.port()
                    + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" + String.join("", headers) + "\r\n");
            assertThat(client.read(false).status()).isEqualTo(101);
        }

        /// Masked; each byte is written for itself.
        void send(int first, String text) throws IOException {
            byte[] payload = text.getBytes(StandardCharsets.UTF_8);
            byte[] key = {1, 2, 3, 4};
            client.send(new byte[] {(byte) first});
            client.send(new byte[] {(byte) (0x80 | payload.length)});
            client.send(key);
            for (int i = 0; i < payload.length; i++) {
                client.send(new byte[] {(byte) (payload[i] ^ key[i & 3])});
            }
        }

        /// Its first byte, then its payload as text.
        String receive() throws IOException {
            InputStream in = client.stream();
            int first = in.read();
            byte[] payload = in.readNBytes(in.read());
            return first == 0x88
                    ? "close " + new BigInteger(1, payload, 0, 2)
                    : Integer.toHexString(first) + " " + new String(payload, StandardCharsets.UTF_8);
        }

        @Override
        public void close() throws IOException {
            client.close();
        }
    }

    private static WebSocket connect(HttpClient client, Origin origin, WebSocket.Listener listener) {
        return client.newWebSocketBuilder()
                .buildAsync(URI.create("ws://" + Door.HOST + ":" + origin.port() + "/ws"), listener)
                .join();
    }

    private static void assertDenied(Door door, EventType type) throws InterruptedException {
        NetRow row = door.rows(1).get(0);
        assertThat(row.decision()).isEqualTo(Outcome.DENIED);
        assertThat(row.connectionType()).isEqualTo("websocket");
        assertThat(row.statusCode()).hasValue(101);
        assertThat(row.policy().action()).contains("block");
        assertThat(door.rows(1)).hasSize(1);
        Door.await(() -> door.recorded.size() > 1);
        assertThat(door.recorded)
                .filteredOn(one -> one.event().judgement().finalAction() == FinalAction.BLOCK)
                .extracting(one -> one.event().type())
                .containsExactly(type);
    }

    @Test
    void aBlockedMessageNeverReachesTheUpstream() throws Exception {
        blockSecrets();
        try (Origin origin = Origin.raw(echo);
                Door door = setup.open();
                HttpClient client = ProxyFormsTest.proxied(door, HttpClient.Version.HTTP_1_1)) {
            WebSocketTest.Heard heard = new WebSocketTest.Heard();
            WebSocket socket = connect(client, origin, heard);
            socket.sendText("good morning", true).join();
            assertThat(heard.texts.poll(30, TimeUnit.SECONDS)).isEqualTo("echo good morning");

            socket.sendText("my secret", true).join();

            assertThat(heard.closed.get(30, TimeUnit.SECONDS)).isEqualTo("1008 keep it to yourself");
            assertDenied(door, EventType.HTTP_REQUEST);
            assertThat(door.rows(1).get(0).previews().responseBody()).contains("frames sent: 1, received: 1");
            assertThat(door.rows(1).get(0).policy().rule()).contains("security.rules.http.no_secrets");
            assertThat(echo.heard).containsExactly("good morning");
        }
    }

    @Test
    void aBlockedAnswerNeverReachesTheGuest() throws Exception {
        setup.needsBody = SecurityEvent.HttpResponse.class::isInstance;
        setup.rules = event -> event instanceof SecurityEvent.HttpResponse response && isSecret(response.body())
                ? HttpsExchangeTest.block("no_secrets", "not for you")
                : Door.allow();
        try (Origin origin = Origin.raw(echo);
                Door door = setup.open();
                HttpClient client = ProxyFormsTest.proxied(door, HttpClient.Version.HTTP_1_1)) {
            WebSocketTest.Heard heard = new WebSocketTest.Heard();
            WebSocket socket = connect(client, origin, heard);

            socket.sendText("secret", true).join();

            assertThat(heard.closed.get(30, TimeUnit.SECONDS)).isEqualTo("1008 not for you");
            assertThat(heard.texts).isEmpty();
            assertThat(echo.heard).containsExactly("secret");
            assertDenied(door, EventType.HTTP_RESPONSE);
        }
    }

    @Test
    void fragmentsAreJudgedTogetherAndControlFramesPassBetweenThem() throws Exception {
        blockSecrets();
        try (Origin origin = Origin.raw(echo);
                Door door = setup.open();
                Raw guest = new Raw(door, origin)) {
            guest.send(0x01, "in ");
            guest.send(0x80, "two");
            assertThat(guest.receive()).isEqualTo("81 echo in two");

            guest.send(0x01, "sec");
            guest.send(0x89, "hi");
            assertThat(guest.receive()).as("the pong").isEqualTo("8a hi");
            guest.send(0x80, "ret");

            assertThat(guest.receive()).isEqualTo("close 1008");
            assertThat(guest.client.stream().read()).as("and the end").isEqualTo(-1);
            assertDenied(door, EventType.HTTP_REQUEST);
            assertThat(echo.heard).containsExactly("in two");
        }
    }

    @Test
    void controlFramesCarryNothingPastRules() throws Exception {
        blockSecrets();
        try (Origin origin = Origin.raw(echo);
                Door door = setup.open();
                Raw guest = new Raw(door, origin)) {
            guest.send(0x89, "secret");

            assertThat(guest.receive()).isEqualTo("close 1008");
            assertDenied(door, EventType.HTTP_REQUEST);
        }
    }

    @Test
    void whatCannotBeReadWholeIsRefusedByItsHead() throws Exception {
        blockSecrets();
        try (Origin origin = Origin.raw(echo);
                Door door = setup.open();
                Raw guest = new Raw(door, origin)) {
            guest.client.send(new byte[] {(byte) 0x82, (byte) 0xff, 0, 0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 4, 'x'});

            assertThat(guest.receive()).isEqualTo("close 1008");
            assertDenied(door, EventType.HTTP_REQUEST);
            assertThat(door.asked)
                    .filteredOn(event -> event instanceof SecurityEvent.HttpRequest request
                            && request.body() instanceof Body.TooLarge)
                    .hasSize(1);
        }
    }

    @Test
    void malformedFramesEndTheConnection() throws Exception {
        blockSecrets();
        try (Origin origin = Origin.raw(echo);
                Door door = setup.open();
                Raw guest = new Raw(door, origin)) {
            guest.send(0xc1, "compressed?");

            assertThat(guest.receive()).isEqualTo("close 1002");
            assertDenied(door, EventType.HTTP_REQUEST);
            assertThat(door.rows(1).get(0).policy().reason().orElseThrow()).contains("extension");
            assertThat(echo.heard).isEmpty();
        }
    }

    @Test
    void extensionsAreOfferedOnlyWhereNoRuleReads() throws Exception {
        String offer = "Sec-WebSocket-Extensions: permessage-deflate\r\n";
        try (Origin origin = Origin.raw(echo)) {
            try (Door door = new Door.Setup().open();
                    Raw guest = new Raw(door, origin, offer)) {
                guest.send(0x81, "1");
                assertThat(guest.receive()).isEqualTo("81 echo 1");
            }
            blockSecrets();
            try (Door door = setup.open();
                    Raw guest = new Raw(door, origin, offer)) {
                guest.send(0x81, "2");
                assertThat(guest.receive()).isEqualTo("81 echo 2");
            }
        }
        assertThat(echo.upgrades)
                .extracting(headers -> headers.contains("sec-websocket-extensions"))
                .containsExactly(true, false);
    }

    @Test
    void anUpstreamThatForcesAnExtensionIsRefused() throws Exception {
        blockSecrets();
        try (Origin origin = Origin.plain(_ -> {
                    var response = new io.netty.handler.codec.http.DefaultFullHttpResponse(
                            io.netty.handler.codec.http.HttpVersion.HTTP_1_1,
                            io.netty.handler.codec.http.HttpResponseStatus.SWITCHING_PROTOCOLS);
                    response.headers()
                            .set("connection", "upgrade")
                            .set("upgrade", "websocket")
                            .set("sec-websocket-extensions", "permessage-deflate");
                    return response;
                });
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            Http1Client.Response response = client.exchange("GET /ws HTTP/1.1\r\nHost: " + Door.HOST + ":"
                    + origin.port() + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");

            assertThat(response.status()).isEqualTo(502);
            assertThat(response.text()).contains("extension");
            assertThat(door.rows(1).get(0).decision()).isEqualTo(Outcome.ERROR);
        }
    }

    @Test
    void whoApprovedTheUpgradeIsNotAskedAboutEachMessage() throws Exception {
        AtomicInteger questions = new AtomicInteger();
        setup.desk = (_, _) -> {
            questions.incrementAndGet();
            return CompletableFuture.completedFuture(new Answer.Approved(Answer.Scope.ONCE, "ada"));
        };
        readMessagesSent(_ -> new Evaluation(
                new Evaluation.Asked(),
                Optional.of(RuleId.of("http", "ask_first")),
                Optional.empty(),
                List.of(),
                List.of()));
        try (Origin origin = Origin.raw(echo);
                Door door = setup.open();
                Raw guest = new Raw(door, origin)) {
            guest.send(0x81, "a");
            assertThat(guest.receive()).isEqualTo("81 echo a");

            // About the name, and about where it leads: inside this host.
            assertThat(questions).hasValue(2);
        }
    }

    @Test
    void whatFollowsWaitsBehindAMessageThatAPersonIsAskedAbout() throws Exception {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        setup.desk = (_, _) -> answer;
        readMessagesSent(request -> isSecret(request.body())
                ? new Evaluation(
                        new Evaluation.Asked(),
                        Optional.of(RuleId.of("http", "ask_secrets")),
                        Optional.empty(),
                        List.of(),
                        List.of())
                : Door.allow());
        try (Origin origin = Origin.raw(echo);
                Door door = setup.open();
                Raw guest = new Raw(door, origin)) {
            guest.send(0x81, "secret");
            guest.send(0x81, "later");
            Door.await(() -> door.asked.stream()
                    .anyMatch(event -> event instanceof SecurityEvent.HttpRequest request && isSecret(request.body())));
            assertThat(echo.heard).isEmpty();
            answer.complete(new Answer.Approved(Answer.Scope.ONCE, "ada"));

            assertThat(guest.receive()).isEqualTo("81 echo secret");
            assertThat(guest.receive()).isEqualTo("81 echo later");
        }
    }

    @Test
    void aRewrittenMessageGoesOnChangedAndIsRecorded() throws Exception {
        readMessagesSent(request -> isSecret(request.body())
                ? new Evaluation(
                        new Evaluation.Rewritten(request.withBody(Body.of("nothing")), List.of()),
                        Optional.of(RuleId.of("http", "mask")),
                        Optional.empty(),
                        List.of(),
                        List.of())
                : Door.allow());
        try (Origin origin = Origin.raw(echo);
                Door door = setup.open();
                Raw guest = new Raw(door, origin)) {
            guest.send(0x81, "secret");

            assertThat(guest.receive()).isEqualTo("81 echo nothing");
            assertThat(door.recorded).as("before it left").hasSize(1);
        }
    }

    @Test
    void aFailingEngineBlocks() throws Exception {
        readMessagesSent(request -> request.body() instanceof Body.Text
                ? Evaluation.blocked(BlockCause.ENGINE_FAILURE, "the engine failed")
                : Door.allow());
        try (Origin origin = Origin.raw(echo);
                Door door = setup.open();
                Raw guest = new Raw(door, origin)) {
            guest.send(0x81, "anything");

            assertThat(guest.receive()).isEqualTo("close 1008");
            assertThat(echo.heard).isEmpty();
        }
    }
}
