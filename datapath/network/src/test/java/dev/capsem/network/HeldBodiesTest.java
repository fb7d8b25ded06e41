package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.network.http.limit.BodyRoom;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Bodies that rules must read are counted together: a guest cannot fill the memory of its capsem-process with them.
@Timeout(180)
@Tag("sockets")
class HeldBodiesTest {
    private static final int MEBIBYTE = 1024 * 1024;
    private static final int LENGTH = 200_000;
    private static final int MESSAGE = 30_000;
    private static final String GET = "GET /p HTTP/1.1\r\nHost: " + Door.HOST + "\r\n\r\n";

    /// Questions that nobody has answered yet.
    private final List<CompletableFuture<Answer>> questions = new CopyOnWriteArrayList<>();

    private final Door.Setup setup = new Door.Setup();

    /// Every request is read and asked about, so that its body stays where it is.
    private void askAboutRequests() {
        setup.needsBody = SecurityEvent.HttpRequest.class::isInstance;
        askIf(SecurityEvent.HttpRequest.class::isInstance);
    }

    private void askIf(Predicate<SecurityEvent> isAskedAbout) {
        setup.rules = event -> isAskedAbout.test(event)
                ? new Evaluation(
                        new Evaluation.Asked(),
                        Optional.of(RuleId.of("http", "ask")),
                        Optional.empty(),
                        List.of(),
                        List.of())
                : Door.allow();
        setup.desk = (event, _) -> {
            CompletableFuture<Answer> question = new CompletableFuture<>();
            if (event instanceof SecurityEvent.HttpRequest request
                    && request.leadsInside()
                    && request.scheme().equals("http")) {
                // The origin's address: whoever asked about the body has approved that before.
                approve(question);
            } else {
                questions.add(question);
            }
            return question;
        };
    }

    private static String post(int length, String... headers) {
        return "POST /p HTTP/1.1\r\nHost: " + Door.HOST + "\r\nAccept: application/json\r\n" + String.join("", headers)
                + "Content-Length: " + length + "\r\n\r\n";
    }

    @Test
    void aBodyThatFindsNoRoomIsRefusedAndNothingOfItLeaves() throws Exception {
        askAboutRequests();
        List<Http1Client> clients = new ArrayList<>();
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open()) {
            for (int i = 0; i < 3; i++) {
                Http1Client client = new Http1Client(door.connect(origin.port()));
                clients.add(client);
                client.send(post(9 * MEBIBYTE));
                client.send(new byte[9 * MEBIBYTE]);
            }
            Door.await(() -> questions.size() == 3);
            assertThat(questions).hasSize(3);
            Http1Client late = new Http1Client(door.connect(origin.port()));
            clients.add(late);

            Http1Client.Response refused = late.exchange(post(9 * MEBIBYTE));

            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.text()).contains("\"code\":\"inspection_full\"").contains("\"remedy\":");
            assertThat(questions).hasSize(3);
            assertThat(door.rows(1).getFirst().policy().reason().orElseThrow()).contains("64 MiB");
            assertThat(origin.connections()).isZero();
        } finally {
            for (Http1Client client : clients) {
                client.close();
            }
        }
    }

    /// Room for one body of 200 kB and a half, and hardly any patience.
    private void leaveLittleRoom(Duration patience) {
        setup.settings = setup.settings.withBodyRoom(new BodyRoom(600_000, patience));
    }

    private static void approve(CompletableFuture<Answer> question) {
        question.complete(new Answer.Approved(Answer.Scope.ONCE, "somebody"));
    }

    private static void refuse(CompletableFuture<Answer> question) {
        question.complete(new Answer.Refused(Answer.Cause.DENIED, "not this one", "somebody"));
    }

    private static void sendBody(Http1Client client, String... headers) throws IOException {
        client.send(post(LENGTH, headers));
        client.send(new byte[LENGTH]);
    }

    /// Requires: little room. Nobody has any.
    private void assertRoomForTheNext(Door door, Origin origin) throws Exception {
        int before = questions.size();
        try (Http1Client next = new Http1Client(door.connect(origin.port()))) {
            sendBody(next);
            Door.await(() -> questions.size() > before);
            assertThat(questions).hasSizeGreaterThan(before);
            approve(questions.getLast());
            assertThat(next.read(false).status()).isEqualTo(200);
        }
    }

    @Test
    void aBodyWaitsForRoomAndThenGoesOn() throws Exception {
        askAboutRequests();
        leaveLittleRoom(Duration.ofSeconds(60));
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client first = new Http1Client(door.connect(origin.port()));
                Http1Client second = new Http1Client(door.connect(origin.port()))) {
            sendBody(first);
            Door.await(() -> questions.size() == 1);
            sendBody(second, "Expect: 100-continue\r\n");
            refuse(questions.getFirst());
            assertThat(first.read(false).status()).isEqualTo(403);

            assertThat(second.read(false).status()).isEqualTo(100);
            Door.await(() -> questions.size() == 2);
            approve(questions.getLast());
            assertThat(second.read(false).status()).isEqualTo(200);
            assertThat(origin.log()).hasSize(1);
            assertThat(origin.log().getFirst().text()).hasSize(LENGTH);
            assertRoomForTheNext(door, origin);
        }
    }

    @Test
    void aBodyWithoutALengthTakesRoomAsItComes() throws Exception {
        askAboutRequests();
        leaveLittleRoom(Duration.ofMillis(200));
        String chunk = Integer.toHexString(LENGTH) + "\r\n" + "x".repeat(LENGTH) + "\r\n";
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client first = new Http1Client(door.connect(origin.port()));
                Http1Client second = new Http1Client(door.connect(origin.port()))) {
            sendBody(first);
            Door.await(() -> questions.size() == 1);

            second.send("POST /p HTTP/1.1\r\nHost: " + Door.HOST + "\r\nTransfer-Encoding: chunked\r\n\r\n");
            second.send(chunk);
            assertThat(second.read(false).status()).isEqualTo(503);
            assertThat(questions).hasSize(1);
            assertThat(origin.connections()).isZero();
            approve(questions.getFirst());
            assertThat(first.read(false).status()).isEqualTo(200);
            assertRoomForTheNext(door, origin);
        }
    }

    /// A few bytes that become many are counted as many.
    @Test
    void whatABodyIsDecodedToIsCounted() throws Exception {
        askAboutRequests();
        leaveLittleRoom(Duration.ofMillis(200));
        byte[] packed = BodyRulesTest.gzip("x".repeat(550_000));
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client first = new Http1Client(door.connect(origin.port()));
                Http1Client second = new Http1Client(door.connect(origin.port()))) {
            first.send(post(packed.length, "Content-Encoding: gzip\r\n"));
            first.send(packed);
            Door.await(() -> questions.size() == 1);
            assertThat(questions).hasSize(1);

            assertThat(second.exchange(post(LENGTH)).status()).isEqualTo(503);
            approve(questions.getFirst());
            assertThat(first.read(false).status()).isEqualTo(200);
            assertRoomForTheNext(door, origin);
        }
    }

    @Test
    void theRoomOfAGuestThatLeavesIsFree() throws Exception {
        askAboutRequests();
        leaveLittleRoom(Duration.ofSeconds(60));
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open()) {
            Http1Client asking = new Http1Client(door.connect(origin.port()));
            sendBody(asking);
            Door.await(() -> questions.size() == 1);
            asking.close();
            assertRoomForTheNext(door, origin);

            Http1Client collecting = new Http1Client(door.connect(origin.port()));
            collecting.send(post(LENGTH) + "the beginning");
            collecting.close();
            assertRoomForTheNext(door, origin);
        }
    }

    @Test
    void theRoomOfABodyThatBreaksOffIsFree() throws Exception {
        askAboutRequests();
        leaveLittleRoom(Duration.ofSeconds(60));
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client broken = new Http1Client(door.connect(origin.port()))) {
            String chunk = Integer.toHexString(LENGTH) + "\r\n" + "x".repeat(LENGTH) + "\r\n";
            broken.send("POST /p HTTP/1.1\r\nHost: " + Door.HOST + "\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk
                    + "no number\r\n");
            assertThat(broken.read(false).status()).isEqualTo(400);
            assertRoomForTheNext(door, origin);
        }
    }

    @Test
    void theRoomIsFreeWhenNobodyAnswersUpstream() throws Exception {
        askAboutRequests();
        leaveLittleRoom(Duration.ofSeconds(60));
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(1))) {
            sendBody(client);
            Door.await(() -> questions.size() == 1);
            approve(questions.getFirst());
            assertThat(client.read(false).status()).isEqualTo(502);
            assertRoomForTheNext(door, origin);
        }
    }

    /// Today's rule for bodies that are too large stays what it is.
    @Test
    void oneBodyAloneMayBeLargerThanTheRoom() throws Exception {
        askAboutRequests();
        leaveLittleRoom(Duration.ofMillis(200));
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            client.send(post(11 * MEBIBYTE));
            client.send(new byte[11 * MEBIBYTE]);
            Door.await(() -> questions.size() == 1);
            assertThat(door.asked.getFirst())
                    .isInstanceOfSatisfying(
                            SecurityEvent.HttpRequest.class,
                            request -> assertThat(request.body()).isInstanceOf(Body.TooLarge.class));
            approve(questions.getFirst());
            assertThat(client.read(false).status()).isEqualTo(200);
            assertRoomForTheNext(door, origin);
        }
    }

    @Test
    void responsesAreCountedAsWell() throws Exception {
        setup.needsBody = SecurityEvent.HttpResponse.class::isInstance;
        askIf(event -> event instanceof SecurityEvent.HttpResponse);
        leaveLittleRoom(Duration.ofMillis(200));
        try (Origin origin = Origin.plain(_ -> zeros(LENGTH));
                Door door = setup.open();
                Http1Client first = new Http1Client(door.connect(origin.port()));
                Http1Client second = new Http1Client(door.connect(origin.port()));
                Http1Client third = new Http1Client(door.connect(origin.port()))) {
            first.send(GET);
            Door.await(() -> questions.size() == 1);

            Http1Client.Response refused = second.exchange(GET);

            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.text()).contains("to hold this body").doesNotContain("\0");
            assertThat(door.rows(1).getFirst().decision()).isEqualTo(Outcome.DENIED);
            refuse(questions.getFirst());
            assertThat(first.read(false).status()).isEqualTo(403);
            third.send(GET);
            Door.await(() -> questions.size() == 2);
            approve(questions.getLast());
            assertThat(third.read(false).body()).hasSize(LENGTH);
        }
    }

    /// More than is inspected, in pieces that had to wait: the guest gets every one of them, in order.
    @Test
    void whatWaitedForRoomAndIsTooLargeArrivesWhole() throws Exception {
        setup.needsBody = SecurityEvent.HttpRequest.class::isInstance;
        askIf(event -> event instanceof SecurityEvent.HttpRequest request
                && request.path().equals("/p"));
        leaveLittleRoom(Duration.ofSeconds(60));
        byte[] large = new byte[10 * MEBIBYTE + 300_000];
        for (int i = 0; i < large.length; i++) {
            large[i] = (byte) (i / 1_000);
        }
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client first = new Http1Client(door.connect(origin.port()));
                Http1Client second = new Http1Client(door.connect(origin.port()))) {
            sendBody(first);
            Door.await(() -> questions.size() == 1);
            second.send("POST /q HTTP/1.1\r\nHost: " + Door.HOST + "\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + Integer.toHexString(large.length) + "\r\n");
            Thread sending = Thread.ofVirtual().start(() -> sendQuietly(second, large));
            approve(questions.getFirst());
            assertThat(first.read(false).status()).isEqualTo(200);
            sending.join();
            second.send("\r\n0\r\n\r\n");

            assertThat(second.read(false).status()).isEqualTo(200);
            assertThat(origin.log().getLast().body()).isEqualTo(large);
        }
    }

    private static void sendQuietly(Http1Client client, byte[] bytes) {
        try {
            client.send(bytes);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /// What a guest does not read is not gone because its exchange is over for us.
    @Test
    void aResponseThatTheGuestDoesNotReadTakesRoomUntilItLeaves() throws Exception {
        setup.needsBody = SecurityEvent.HttpResponse.class::isInstance;
        setup.settings = setup.settings.withBodyRoom(new BodyRoom(30L * MEBIBYTE, Duration.ofMillis(200)));
        List<Http1Client> deaf = new ArrayList<>();
        try (Origin origin = Origin.plain(_ -> zeros(9 * MEBIBYTE));
                Door door = setup.open()) {
            for (int rows = 1; rows <= 2; rows++) {
                int awaited = rows;
                Socket socket = door.connect(origin.port());
                socket.setReceiveBufferSize(64 * 1024);
                deaf.add(new Http1Client(socket));
                deaf.getLast().send(GET);
                Door.await(() -> door.netRows().size() == awaited);
            }
            try (Http1Client client = new Http1Client(door.connect(origin.port()))) {
                assertThat(client.exchange(GET).status()).isEqualTo(503);
            }
            for (Http1Client client : deaf) {
                client.close();
            }
            AtomicInteger status = new AtomicInteger();
            Door.await(() -> {
                status.set(status(door, origin));
                return status.get() == 200;
            });
            assertThat(status).hasValue(200);
        }
    }

    private static int status(Door door, Origin origin) {
        try (Http1Client client = new Http1Client(door.connect(origin.port()))) {
            return client.exchange(GET).status();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static FullHttpResponse zeros(int count) {
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.wrappedBuffer(new byte[count]));
        response.headers().set("content-length", count);
        return response;
    }

    @Test
    void messagesOfWebSocketsAreCountedAsWell() throws Exception {
        setup.needsBody = SecurityEvent.HttpRequest.class::isInstance;
        askIf(event -> event instanceof SecurityEvent.HttpRequest request && request.body() instanceof Body.Text);
        setup.settings = setup.settings.withBodyRoom(new BodyRoom(100_000, Duration.ofMillis(200)));
        WebSocketTest.Echo echo = new WebSocketTest.Echo();
        try (Origin origin = Origin.raw(echo);
                Door door = setup.open();
                Http1Client first = upgraded(door, origin);
                Http1Client second = upgraded(door, origin);
                Http1Client third = upgraded(door, origin)) {
            sendMessage(first);
            Door.await(() -> questions.size() == 1);
            sendMessage(second);

            byte[] closed = second.stream().readNBytes(4);

            assertThat(closed[0] & 0xff).as("a close").isEqualTo(0x88);
            assertThat(((closed[2] & 0xff) << 8) | (closed[3] & 0xff)).isEqualTo(1013);
            assertThat(door.rows(1).getFirst().policy().reason().orElseThrow()).contains("to hold this body");
            assertThat(echo.heard).isEmpty();
            approve(questions.getFirst());
            assertThat(first.stream().readNBytes(4 + "echo ".length() + MESSAGE))
                    .isNotEmpty();
            sendMessage(third);
            Door.await(() -> questions.size() == 2);
            approve(questions.getLast());
            assertThat(third.stream().readNBytes(4 + "echo ".length() + MESSAGE))
                    .isNotEmpty();
        }
    }

    private static Http1Client upgraded(Door door, Origin origin) throws IOException {
        Http1Client client = new Http1Client(door.connect(origin.port()));
        client.send("GET /ws HTTP/1.1\r\nHost: " + Door.HOST + ":" + origin.port()
                + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
        assertThat(client.read(false).status()).isEqualTo(101);
        return client;
    }

    /// A text of zeros, masked with a key of zeros.
    private static void sendMessage(Http1Client client) throws IOException {
        client.send(new byte[] {(byte) 0x81, (byte) (0x80 | 126), (byte) (MESSAGE >> 8), (byte) MESSAGE, 0, 0, 0, 0});
        client.send(new byte[MESSAGE]);
    }
}
