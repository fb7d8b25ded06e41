package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.FinalAction;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
@Tag("sockets")
class HttpsExchangeTest {
    static FullHttpResponse ok(FullHttpRequest request) {
        byte[] body = ("hello " + request.uri()).getBytes(StandardCharsets.UTF_8);
        FullHttpResponse response =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.wrappedBuffer(body));
        response.headers()
                .set("content-type", "text/plain")
                .set("content-length", body.length)
                .set("x-origin", "1");
        return response;
    }

    static Evaluation block(String name, String reason) {
        return new Evaluation(
                new Evaluation.Blocked(BlockCause.RULE),
                Optional.of(RuleId.of("http", name)),
                Optional.of(reason),
                List.of(),
                List.of());
    }

    @Test
    void carriesAnAllowedRequestAndRecordsIt() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            Http1Client.Response response = client.exchange("GET /a?token=abc&x=1 HTTP/1.1\r\nHost: " + Door.HOST + ":"
                    + origin.port() + "\r\nAuthorization: Bearer secret-value\r\nAccept: */*\r\n\r\n");

            assertThat(response.status()).isEqualTo(200);
            assertThat(response.text()).isEqualTo("hello /a?token=abc&x=1");
            assertThat(response.headers()).containsEntry("x-origin", "1");
            assertThat(origin.log()).hasSize(1);
            assertThat(origin.log().get(0).headers()).containsEntry("authorization", "Bearer secret-value");
            NetRow row = door.rows(1).get(0);
            assertThat(row.domain()).isEqualTo(Door.HOST);
            assertThat(row.port()).isEqualTo(origin.port());
            assertThat(row.decision()).isEqualTo(Outcome.ALLOWED);
            assertThat(row.caller().processName()).contains("curl");
            assertThat(row.method()).contains("GET");
            assertThat(row.path()).contains("/a");
            assertThat(row.query()).contains("token=***&x=1");
            assertThat(row.statusCode()).hasValue(200);
            assertThat(row.bytesReceived()).isEqualTo(response.body().length);
            assertThat(row.connectionType()).isEqualTo("https-mitm");
            assertThat(row.matchedRule()).contains("security.rules.http.allow_all");
            assertThat(row.previews().requestHeaders().orElseThrow())
                    .contains("accept: */*")
                    .containsPattern("authorization: hash:[0-9a-f]{12}\\n")
                    .doesNotContain("secret-value");
            assertThat(row.previews().responseBody()).contains("hello /a?token=abc&x=1");
        }
    }

    @Test
    void thereIsAnEventForEachDecisionAndTheAnswersNamesItsRequest() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            client.exchange("GET /a HTTP/1.1\r\nHost: " + Door.HOST + ":" + origin.port() + "\r\n\r\n");

            Door.await(() -> door.recorded.size() == 2);
            assertThat(door.recorded)
                    .extracting(exchange -> exchange.event().type())
                    .containsExactly(EventType.HTTP_REQUEST, EventType.HTTP_RESPONSE);
            assertThat(door.recorded.get(1).event().correlation().parentEventId())
                    .contains(door.recorded.get(0).event().id());
            assertThat(door.recorded.get(1).event().judgement().finalAction()).isEqualTo(FinalAction.CONTINUE);
        }
    }

    @Test
    void keepsConnectionsOnBothLegs() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            for (int i = 0; i < 20; i++) {
                assertThat(client.exchange("GET /" + i + " HTTP/1.1\r\nHost: " + Door.HOST + "\r\n\r\n")
                                .text())
                        .isEqualTo("hello /" + i);
            }

            assertThat(origin.connections()).isEqualTo(1);
            assertThat(door.rows(20)).hasSize(20);
            assertThat(door.engine().mintedCertificates()).isEqualTo(1);
        }
    }

    @Test
    void aBlockedRequestNeverLeaves() throws Exception {
        Door.Setup setup = new Door.Setup();
        setup.rules = event -> event instanceof SecurityEvent.HttpRequest request
                        && request.path().startsWith("/no")
                ? block("no_paths", "not this path")
                : Door.allow();
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            Http1Client.Response text =
                    client.exchange("GET /no/1 HTTP/1.1\r\nHost: " + Door.HOST + "\r\nAccept: */*\r\n\r\n");
            Http1Client.Response json = client.exchange("POST /no/2 HTTP/1.1\r\nHost: " + Door.HOST
                    + "\r\nAccept: application/json\r\nContent-Length: 3\r\n\r\nabc");

            assertThat(text.status()).isEqualTo(403);
            assertThat(text.headers())
                    .containsEntry("x-capsem-decision", "block")
                    .containsEntry("x-capsem-rule", "security.rules.http.no_paths");
            assertThat(text.text())
                    .contains("not this path")
                    .contains("security.rules.http.no_paths")
                    .contains("Remedy:");
            assertThat(json.status()).isEqualTo(403);
            assertThat(json.headers()).containsEntry("content-type", "application/json");
            assertThat(json.text())
                    .contains("\"rule\":\"security.rules.http.no_paths\"")
                    .contains("\"reason\":\"not this path\"")
                    .contains("\"remedy\":");
            assertThat(origin.connections()).isZero();
            assertThat(door.rows(2)).extracting(NetRow::decision).containsOnly(Outcome.DENIED);
            assertThat(door.recorded)
                    .extracting(exchange -> exchange.event().judgement().finalAction())
                    .containsOnly(FinalAction.BLOCK);
        }
    }

    @Test
    void sessionsResumeOnTheUpstreamsLeg() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, request -> {
                    FullHttpResponse response = ok(request);
                    response.headers().set("connection", "close");
                    return response;
                });
                Door door = new Door.Setup().open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            for (int i = 0; i < 3; i++) {
                assertThat(client.exchange("GET /" + i + " HTTP/1.1\r\nHost: " + Door.HOST + "\r\n\r\n")
                                .text())
                        .isEqualTo("hello /" + i);
                Thread.sleep(5);
            }

            assertThat(origin.connections()).isEqualTo(3);
            assertThat(origin.sessions())
                    .as("told by the origin")
                    .containsOnly(origin.sessions().get(0));
        }
    }
}
