package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.broker.GrantMode;
import dev.capsem.broker.Grants;
import dev.capsem.broker.Held;
import dev.capsem.events.row.GrantUse;
import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.vocabulary.FinalAction;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
@Tag("sockets")
class BrokeredRequestsTest {
    private static final String VALUE = Brokerage.VALUE;
    private static final String STAND_IN = Brokerage.STAND_IN;

    @Test
    void theUpstreamGetsTheValueAndTheRecordThePlaceholder() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door =
                        Brokerage.setup(Brokerage.grants("header:x-api-key")).open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            Http1Client.Response response =
                    client.exchange(Brokerage.get("/a", "X-Api-Key: " + STAND_IN, "Accept: */*"));

            assertThat(response.status()).isEqualTo(200);
            assertThat(origin.log().get(0).headers())
                    .containsEntry("x-api-key", VALUE)
                    .containsEntry("accept", "*/*");
            assertThat(door.rows(1).get(0).decision()).isEqualTo(Outcome.ALLOWED);
            assertThat(uses(door)).containsExactly("forge header:x-api-key " + Door.HOST + " 1");
            assertThat(everythingRecorded(door)).doesNotContain(VALUE);
        }
    }

    @Test
    void everyVersionOfHttpGetsTheValueAndKeepsItsVersion() throws Exception {
        for (boolean upstreamHttp2 : new boolean[] {false, true}) {
            for (HttpClient.Version version : HttpClient.Version.values()) {
                try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, upstreamHttp2, HttpsExchangeTest::ok);
                        Door door = Brokerage.setup(Brokerage.grants("header:authorization", "body:/token"))
                                .open();
                        HttpClient client = ProxyFormsTest.proxied(door, version)) {
                    URI uri = URI.create("https://" + Door.HOST + ":" + origin.port() + "/a");
                    HttpResponse<String> answer = client.send(
                            HttpRequest.newBuilder(uri)
                                    .header("authorization", "Bearer " + STAND_IN)
                                    .POST(HttpRequest.BodyPublishers.ofString("{\"token\":\"" + STAND_IN + "\"}"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());

                    String legs = version + " to " + (upstreamHttp2 ? "h2" : "h1");
                    assertThat(answer.statusCode()).as(legs).isEqualTo(200);
                    assertThat(answer.version()).as(legs).isEqualTo(version);
                    Origin.Seen seen = origin.log().get(0);
                    assertThat(seen.protocol()).as(legs).isEqualTo(upstreamHttp2 ? "h2" : "h1");
                    assertThat(seen.headers()).as(legs).containsEntry("authorization", "Bearer " + VALUE);
                    assertThat(seen.text()).as(legs).isEqualTo("{\"token\":\"" + VALUE + "\"}");
                }
            }
        }
    }

    @Test
    void basicQueryAndPathGetTheValue() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = Brokerage.setup(Brokerage.grants("basic", "query:key", "path"))
                        .open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            client.exchange(Brokerage.get("/", "Authorization: Basic " + base64("git:" + STAND_IN)));
            client.exchange(Brokerage.get("/?a=1&key=" + STAND_IN));
            client.exchange(Brokerage.get("/bot" + STAND_IN + "/send"));

            assertThat(origin.log().get(0).headers()).containsEntry("authorization", "Basic " + base64("git:" + VALUE));
            assertThat(origin.log().get(1).uri()).isEqualTo("/?a=1&key=" + VALUE);
            assertThat(origin.log().get(2).uri()).isEqualTo("/bot" + VALUE + "/send");
            assertThat(door.rows(3)).hasSize(3);
            assertThat(everythingRecorded(door)).doesNotContain(VALUE).doesNotContain(base64("git:" + VALUE));
        }
    }

    @Test
    void inSetModeTheDoorWritesTheHeader() throws Exception {
        Grants grants = Brokerage.grants(GrantMode.SET, Optional.of("Bearer {}"), false, "header:authorization");
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = Brokerage.setup(grants).open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            client.exchange(Brokerage.get("/a"));

            assertThat(origin.log().get(0).headers()).containsEntry("authorization", "Bearer " + VALUE);
        }
    }

    @Test
    void aRequestWithoutAPlaceholderPassesByteForByte() throws Exception {
        String body = "{\"a\" : 1}";
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = Brokerage.setup(Brokerage.grants("header:x-api-key", "body:/token"))
                        .open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            client.exchange(Brokerage.post("/a%20b?x", body, "X-Odd-Case: 1"));

            assertThat(origin.log().get(0).uri()).isEqualTo("/a%20b?x");
            assertThat(origin.log().get(0).text()).isEqualTo(body);
            assertThat(uses(door)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: H\r\nCookie: a=P\r\n\r\n",
                "GET /?x=P HTTP/1.1\r\nHost: H\r\n\r\n",
                "GET /P HTTP/1.1\r\nHost: H\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: H\r\nAuthorization: Basic B\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: H\r\nX-Api-Key: P P\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: H\r\nX-Api-Key: P\r\nX-Api-Key: P\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: H\r\nX-P: P\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: H\r\nContent-Length: 39\r\n\r\nP",
                "POST / HTTP/1.1\r\nHost: H\r\nTransfer-Encoding: chunked\r\n\r\n27\r\nP\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: H\r\nX-Api-Key: P\r\nContent-Length: 39\r\n\r\nP"
            })
    void aPlaceholderElsewhereIsBlockedAndFound(String form) throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door =
                        Brokerage.setup(Brokerage.grants("header:x-api-key")).open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            Http1Client.Response response = client.exchange(form.replace("H\r\n", Door.HOST + "\r\n")
                    .replace("X-P:", "X-Other:")
                    .replace("Basic B", "Basic " + base64("git:" + STAND_IN))
                    .replaceAll("\\bP\\b", STAND_IN));

            assertThat(response.status()).isEqualTo(403);
            assertThat(response.text())
                    .contains("placeholder_leak")
                    .contains("forge")
                    .doesNotContain(STAND_IN);
            assertThat(origin.log()).isEmpty();
            assertThat(door.rows(1)).extracting(NetRow::decision).containsOnly(Outcome.DENIED);
            assertThat(door.recorded.get(0).event().judgement().finalAction()).isEqualTo(FinalAction.BLOCK);
            assertThat(door.recorded.get(0).event().findings())
                    .extracting(finding -> finding.ruleId())
                    .containsExactly("capsem.placeholder_leak");
            assertThat(everythingRecorded(door)).doesNotContain(VALUE);
        }
    }

    @Test
    void aPlaceholderForAnotherHostNeverLeaves() throws Exception {
        String other = "other.example.test";
        try (Origin origin = Origin.tls(Door.ORIGINS, other, false, HttpsExchangeTest::ok);
                Door door =
                        Brokerage.setup(Brokerage.grants("header:x-api-key")).open();
                Http1Client client = new Http1Client(door.tls(origin.port(), other))) {
            Http1Client.Response response =
                    client.exchange("GET / HTTP/1.1\r\nHost: " + other + "\r\nX-Api-Key: " + STAND_IN + "\r\n\r\n");

            assertThat(response.status()).isEqualTo(403);
            assertThat(response.text()).contains("not for this host");
            assertThat(origin.connections()).isZero();
        }
    }

    @Test
    void aStreamedBodyIsCutBeforeThePlaceholder() throws Exception {
        String clean = "x".repeat(300_000);
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door =
                        Brokerage.setup(Brokerage.grants("header:x-api-key")).open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            client.send("POST / HTTP/1.1\r\nHost: " + Door.HOST + "\r\nContent-Length: "
                    + (clean.length() + STAND_IN.length()) + "\r\n\r\n" + clean);
            Thread.sleep(50);
            client.send(STAND_IN);

            assertThat(client.read(false).status()).isEqualTo(403);
            assertThat(origin.log()).isEmpty();
            assertThat(door.rows(1)).extracting(NetRow::decision).containsOnly(Outcome.DENIED);
        }
    }

    @Test
    void plainHttpGetsNoValueUnlessTheGrantSaysSo() throws Exception {
        for (boolean allows : new boolean[] {false, true}) {
            Grants grants = Brokerage.grants(GrantMode.PLACEHOLDER, Optional.empty(), allows, "header:x-api-key");
            try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                    Door door = Brokerage.setup(grants).open();
                    Http1Client client = new Http1Client(door.connect(origin.port()))) {
                Http1Client.Response response = client.exchange(Brokerage.get("/", "X-Api-Key: " + STAND_IN));

                assertThat(response.status()).isEqualTo(allows ? 200 : 403);
                assertThat(origin.log()).hasSize(allows ? 1 : 0);
            }
        }
    }

    @Test
    void aSecretThatIsMissingIsARefusalWithItsReason() throws Exception {
        Held held = Brokerage.grants("header:x-api-key").held().get(0);
        Grants grants = Grants.of(List.of(
                new Held(held.grant(), held.placeholder(), Optional.empty(), Optional.of("the keyring is locked"))));
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = Brokerage.setup(grants).open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            Http1Client.Response response = client.exchange(Brokerage.get("/", "X-Api-Key: " + STAND_IN));

            assertThat(response.status()).isEqualTo(502);
            assertThat(response.text()).contains("secret_unavailable").contains("the keyring is locked");
            assertThat(origin.log()).isEmpty();
        }
    }

    static List<String> uses(Door door) {
        return door.recorded.stream()
                .flatMap(exchange -> exchange.rows().stream())
                .filter(GrantUse.class::isInstance)
                .map(GrantUse.class::cast)
                .map(use -> use.grant() + " " + use.place() + " " + use.host() + " " + use.count())
                .toList();
    }

    /// Everything that could reach a table, as text.
    static String everythingRecorded(Door door) {
        return door.recorded.toString() + door.netRows();
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
