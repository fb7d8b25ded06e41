package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
@SuppressWarnings("FutureReturnValueIgnored")
@Tag("sockets")
class Http2Test {
    @Test
    void anyVersionMeetsAnyOther() throws Exception {
        for (boolean upstreamHttp2 : new boolean[] {false, true}) {
            for (HttpClient.Version version : HttpClient.Version.values()) {
                try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, upstreamHttp2, Http2Test::echo);
                        Door door = new Door.Setup().open();
                        HttpClient client = ProxyFormsTest.proxied(door, version)) {
                    byte[] body = new byte[200_000];
                    new Random(7).nextBytes(body);
                    URI uri = URI.create("https://" + Door.HOST + ":" + origin.port() + "/echo?q=1");

                    HttpResponse<byte[]> posted = client.send(
                            HttpRequest.newBuilder(uri)
                                    .header("x-a", "1")
                                    .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                                    .build(),
                            HttpResponse.BodyHandlers.ofByteArray());
                    HttpResponse<byte[]> head = client.send(
                            HttpRequest.newBuilder(uri).HEAD().build(), HttpResponse.BodyHandlers.ofByteArray());

                    String legs = version + " to " + (upstreamHttp2 ? "h2" : "h1");
                    assertThat(posted.version()).as(legs).isEqualTo(version);
                    assertThat(posted.statusCode()).as(legs).isEqualTo(200);
                    assertThat(posted.body()).as(legs).isEqualTo(body);
                    assertThat(head.statusCode()).as(legs).isEqualTo(200);
                    assertThat(head.body()).as(legs).isEmpty();
                    assertThat(origin.log().get(0).protocol()).as(legs).isEqualTo(upstreamHttp2 ? "h2" : "h1");
                    assertThat(origin.log().get(0).headers()).as(legs).containsEntry("x-a", "1");
                    assertThat(origin.log().get(0).uri()).as(legs).isEqualTo("/echo?q=1");
                    assertThat(door.rows(2)).as(legs).allMatch(row -> row.decision() == Outcome.ALLOWED);
                    assertThat(door.rows(2).stream()
                                    .mapToLong(NetRow::bytesSent)
                                    .sum())
                            .as(legs)
                            .isEqualTo(body.length);
                }
            }
        }
    }

    private static io.netty.handler.codec.http.FullHttpResponse echo(
            io.netty.handler.codec.http.FullHttpRequest request) {
        var response = new io.netty.handler.codec.http.DefaultFullHttpResponse(
                io.netty.handler.codec.http.HttpVersion.HTTP_1_1,
                io.netty.handler.codec.http.HttpResponseStatus.OK,
                request.method().name().equals("HEAD")
                        ? io.netty.buffer.Unpooled.EMPTY_BUFFER
                        : request.content().copy());
        response.headers().set("content-length", request.content().readableBytes());
        return response;
    }

    @Test
    void manyRequestsShareOneUpstreamConnection() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, true, HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                HttpClient client = ProxyFormsTest.proxied(door, HttpClient.Version.HTTP_2)) {
            List<CompletableFuture<HttpResponse<String>>> sent = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                sent.add(client.sendAsync(
                        HttpRequest.newBuilder(URI.create("https://" + Door.HOST + ":" + origin.port() + "/" + i))
                                .build(),
                        HttpResponse.BodyHandlers.ofString()));
            }

            for (int i = 0; i < 50; i++) {
                assertThat(sent.get(i).get().body()).isEqualTo("hello /" + i);
            }
            assertThat(origin.connections()).isLessThanOrEqualTo(2);
            assertThat(door.rows(50)).hasSize(50);
        }
    }

    /// Java's client fails, and does not wait, when it may not open another.
    @Test
    void twoHundredRequestsAreUnderWayOnOneConnection() throws Exception {
        List<CompletableFuture<Answer>> asked = new CopyOnWriteArrayList<>();
        Door.Setup setup = new Door.Setup();
        setup.rules = event -> event instanceof SecurityEvent.HttpRequest request
                        && !request.path().equals("/first")
                        && request.address().isEmpty()
                ? new Evaluation(new Evaluation.Asked(), Optional.empty(), Optional.empty(), List.of(), List.of())
                : Door.allow();
        setup.desk = (_, _) -> {
            CompletableFuture<Answer> question = new CompletableFuture<>();
            asked.add(question);
            return question;
        };
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, true, HttpsExchangeTest::ok);
                Door door = setup.open();
                HttpClient client = ProxyFormsTest.proxied(door, HttpClient.Version.HTTP_2)) {
            String base = "https://" + Door.HOST + ":" + origin.port();
            // Opens the connection that the others share.
            assertThat(ProxyFormsTest.get(client, base + "/first").statusCode()).isEqualTo(200);
            List<CompletableFuture<HttpResponse<String>>> sent = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                sent.add(client.sendAsync(
                        HttpRequest.newBuilder(URI.create(base + "/" + i)).build(),
                        HttpResponse.BodyHandlers.ofString()));
            }
            Door.await(() -> asked.size() == 200);
            assertThat(asked).hasSize(200);
            asked.forEach(question -> question.complete(new Answer.Approved(Answer.Scope.ONCE, "a person")));

            for (int i = 0; i < 200; i++) {
                assertThat(sent.get(i).get().body()).isEqualTo("hello /" + i);
            }
        }
    }

    @Test
    void aHeadThatIsTooLongIsAnsweredAndItsConnectionGoesOn() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, true, HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                Http2Guest guest = Http2Guest.tls(door, Door.HOST)) {
            String to = Door.HOST + ":" + origin.port();
            Http2Guest.Stream tooLong =
                    guest.open(Http2Guest.head("GET", "https", to, "/long").set("x-long", "a".repeat(100_000)), true);

            assertThat(tooLong.next()).contains(":status: 431");
            assertThat(guest.open(Http2Guest.head("GET", "https", to, "/short"), true)
                            .next())
                    .contains(":status: 200");
            NetRow row = door.rows(2).getFirst();
            assertThat(row.decision()).isEqualTo(Outcome.DENIED);
            assertThat(row.path()).contains("/long");
            assertThat(row.policy().reason().orElseThrow()).contains("64 KiB");
            assertThat(origin.log()).extracting(Origin.Seen::uri).containsExactly("/short");
        }
    }

    @Test
    void aBlockedStreamLeavesTheOthersAlone() throws Exception {
        Door.Setup setup = new Door.Setup();
        setup.rules = event -> event instanceof SecurityEvent.HttpRequest request
                        && request.path().startsWith("/no")
                ? HttpsExchangeTest.block("no_paths", "not this path")
                : Door.allow();
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, true, HttpsExchangeTest::ok);
                Door door = setup.open();
                HttpClient client = ProxyFormsTest.proxied(door, HttpClient.Version.HTTP_2)) {
            String base = "https://" + Door.HOST + ":" + origin.port();
            HttpResponse<String> blocked = client.send(
                    HttpRequest.newBuilder(URI.create(base + "/no"))
                            .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[100_000]))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());

            assertThat(blocked.statusCode()).isEqualTo(403);
            assertThat(blocked.headers().firstValue("x-capsem-rule")).contains("security.rules.http.no_paths");
            assertThat(ProxyFormsTest.get(client, base + "/yes").statusCode()).isEqualTo(200);
            assertThat(origin.log()).extracting(Origin.Seen::uri).containsExactly("/yes");
        }
    }
}
