package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.address.AddressClass;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.network.address.Resolution;
import dev.capsem.network.http.upstream.UpstreamProxy;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Every upstream connection goes through a company's proxy, and no address rule is lost on the way.
@Timeout(180)
@Tag("sockets")
class UpstreamProxyTest {
    private static final String CREDENTIALS = "person:correct horse";

    private static Door.Setup through(ConnectProxy proxy) {
        Door.Setup setup = new Door.Setup();
        setup.proxy = Optional.of(new UpstreamProxy("127.0.0.1", proxy.port(), Optional.empty()));
        return setup;
    }

    private static Door.Setup unresolving(ConnectProxy proxy) {
        Door.Setup setup = through(proxy);
        setup.resolver = _ -> new Resolution.Failed("no such name");
        return setup;
    }

    private static String get(String host) {
        return "GET /p HTTP/1.1\r\nHost: " + host + "\r\nAccept: application/json\r\n\r\n";
    }

    @Test
    void tlsPassesThroughATunnelThatIsKept() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                ConnectProxy proxy = new ConnectProxy();
                Door door = through(proxy).open();
                SSLSocket socket = door.tls(origin.port(), Door.HOST);
                Http1Client client = new Http1Client(socket)) {
            assertThat(client.exchange(get(Door.HOST)).text()).isEqualTo("hello /p");
            assertThat(client.exchange(get(Door.HOST)).text()).isEqualTo("hello /p");

            assertThat(proxy.heads).singleElement().asString().startsWith("CONNECT " + Door.HOST + ":" + origin.port());
            assertThat(door.rows(2))
                    .allSatisfy(row -> assertThat(row.decision()).isEqualTo(Outcome.ALLOWED));
        }
    }

    @Test
    void http2PassesThroughATunnel() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, true, HttpsExchangeTest::ok);
                ConnectProxy proxy = new ConnectProxy();
                Door door = through(proxy).open();
                SSLSocket socket = door.tls(origin.port(), Door.HOST);
                Http1Client client = new Http1Client(socket)) {
            assertThat(client.exchange(get(Door.HOST)).text()).isEqualTo("hello /p");

            assertThat(origin.log()).extracting(Origin.Seen::protocol).containsExactly("h2");
        }
    }

    @Test
    void plainHttpIsForwardedInAbsoluteForm() throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                ConnectProxy proxy = new ConnectProxy();
                Door door = through(proxy).open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            assertThat(client.exchange(get(Door.HOST + ":" + origin.port())).text())
                    .isEqualTo("hello /p");

            assertThat(proxy.heads)
                    .singleElement()
                    .asString()
                    .startsWith("GET http://" + Door.HOST + ":" + origin.port() + "/p HTTP/1.1\r\n");
            assertThat(origin.log().getFirst().uri()).isEqualTo("/p");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void credentialsReachTheProxyAndNobodyElse(boolean isTls) throws Exception {
        try (Origin origin = isTls
                        ? Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok)
                        : Origin.plain(HttpsExchangeTest::ok);
                ConnectProxy proxy = new ConnectProxy()) {
            Door.Setup setup = through(proxy);
            setup.proxy = Optional.of(new UpstreamProxy(
                    "127.0.0.1", proxy.port(), Optional.of(new UpstreamProxy.Credentials(CREDENTIALS))));
            String encoded = Base64.getEncoder().encodeToString(CREDENTIALS.getBytes(StandardCharsets.UTF_8));
            try (Door door = setup.open();
                    Http1Client client =
                            new Http1Client(isTls ? door.tls(origin.port(), Door.HOST) : door.connect(origin.port()))) {
                assertThat(client.exchange(get(Door.HOST + ":" + origin.port())).text())
                        .isEqualTo("hello /p");

                assertThat(proxy.heads).singleElement().asString().containsIgnoringCase("Basic " + encoded);
                assertThat(origin.log().getFirst().headers()).doesNotContainKey("proxy-authorization");
                door.rows(1);
                assertThat(door.recorded.toString() + door.asked + setup.proxy).doesNotContain(encoded, "horse");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"407,true", "407,false", "403,true"})
    void whatTheProxyRefusesIsSaidWithARemedy(int status, boolean isTls) throws Exception {
        String refusal = "HTTP/1.1 " + status + " No\r\nProxy-Authenticate: Basic realm=\"secret place\"\r\n"
                + "Content-Length: 0\r\nConnection: close\r\n\r\n";
        try (ConnectProxy proxy = new ConnectProxy(refusal);
                Door door = through(proxy).open();
                Http1Client client = new Http1Client(isTls ? door.tls(443, Door.HOST) : door.connect(80))) {
            Http1Client.Response response = client.exchange(get(Door.HOST));

            assertThat(response.status()).isEqualTo(502);
            assertThat(response.text()).contains("upstream_proxy", "remedy").doesNotContain("secret place");
            assertThat(response.headers()).doesNotContainKey("proxy-authenticate");
            assertThat(door.rows(1).getFirst().decision()).isEqualTo(Outcome.ERROR);
        }
    }

    @Test
    void aProxyThatIsNotThereIsAnErrorAndNotPassedBy() throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                ConnectProxy proxy = new ConnectProxy();
                Door door = through(proxy).open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            proxy.stop();

            assertThat(client.exchange(get(Door.HOST + ":" + origin.port())).status())
                    .isEqualTo(502);
            assertThat(origin.log()).isEmpty();
        }
    }

    @Test
    void aNameThatOnlyTheProxyResolvesIsReached() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                ConnectProxy proxy = new ConnectProxy();
                Door door = unresolving(proxy).open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            assertThat(client.exchange(get(Door.HOST)).text()).isEqualTo("hello /p");
            assertThat(client.exchange(get(Door.HOST)).text()).isEqualTo("hello /p");

            assertThat(proxy.heads).hasSize(1);
        }
    }

    /// As the Security Engine does, without a rule on addresses.
    private static Evaluation onlyPublic(SecurityEvent event) {
        return event instanceof SecurityEvent.HttpRequest request && request.leadsInside()
                ? Evaluation.blocked(
                        BlockCause.PRIVATE_ADDRESS, request.addressClass().orElseThrow())
                : Door.allow();
    }

    @ParameterizedTest
    @CsvSource({
        "localhost,loopback",
        "me.localhost,loopback",
        "metadata.google.internal,metadata",
        "db.internal,private",
        "intranet,private",
        "169.254.169.254,metadata",
        "10.1.2.3,private"
    })
    void namesAndLiteralsThatLeadInsideAreStillJudged(String host, String addressClass) throws Exception {
        try (ConnectProxy proxy = new ConnectProxy()) {
            Door.Setup setup = unresolving(proxy);
            setup.rules = UpstreamProxyTest::onlyPublic;
            try (Door door = setup.open();
                    Http1Client client = new Http1Client(door.bare())) {
                Http1Client.Response response =
                        client.exchange("GET http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\n\r\n");

                assertThat(response.status()).isEqualTo(403);
                assertThat(response.text()).contains(addressClass);
                assertThat(proxy.heads).isEmpty();
                assertThat(door.rows(1).getFirst().decision()).isEqualTo(Outcome.DENIED);
            }
        }
    }

    @Test
    void whatThisHostResolvesIsJudgedBeforeTheProxyIsAsked() throws Exception {
        try (ConnectProxy proxy = new ConnectProxy()) {
            Door.Setup setup = through(proxy);
            setup.rules = UpstreamProxyTest::onlyPublic;
            try (Door door = setup.open();
                    Http1Client client = new Http1Client(door.connect(80))) {
                assertThat(client.exchange(get(Door.HOST)).status()).isEqualTo(403);
                assertThat(proxy.heads).isEmpty();
                assertThat(door.asked)
                        .filteredOn(SecurityEvent.HttpRequest.class::isInstance)
                        .last()
                        .extracting(event -> ((SecurityEvent.HttpRequest) event).addressClass())
                        .isEqualTo(Optional.of(AddressClass.LOOPBACK.wireName()));
            }
        }
    }

    @Test
    void webSocketsAndPlainOnesGoThroughTunnels() throws Exception {
        try (ConnectProxy proxy = new ConnectProxy();
                Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = through(proxy).open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            client.exchange("GET /ws HTTP/1.1\r\nHost: " + Door.HOST + ":" + origin.port()
                    + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");

            assertThat(proxy.heads).singleElement().asString().startsWith("CONNECT ");
            assertThat(List.copyOf(origin.log())).hasSize(1);
        }
    }
}
