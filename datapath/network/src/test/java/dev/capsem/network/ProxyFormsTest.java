package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.network.address.Resolution;
import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@SuppressWarnings("FutureReturnValueIgnored")
@Timeout(180)
@Tag("sockets")
class ProxyFormsTest {
    static HttpClient proxied(Door door, HttpClient.Version version) throws Exception {
        return HttpClient.newBuilder()
                .proxy(ProxySelector.of(door.address()))
                .sslContext(Door.trust())
                .version(version)
                .build();
    }

    static HttpResponse<byte[]> get(HttpClient client, String uri) throws Exception {
        return client.send(HttpRequest.newBuilder(URI.create(uri)).build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    @Test
    void carriesPlainHttpOnAnyPort() throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            assertThat(client.exchange("GET /p HTTP/1.1\r\nHost: " + Door.HOST + ":" + origin.port() + "\r\n\r\n")
                            .text())
                    .isEqualTo("hello /p");
            assertThat(door.rows(1).get(0).connectionType()).isEqualTo("http-mitm");
        }
    }

    @Test
    void carriesAbsoluteFormAndConnect() throws Exception {
        try (Origin plain = Origin.plain(HttpsExchangeTest::ok);
                Origin tls = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                HttpClient client = proxied(door, HttpClient.Version.HTTP_1_1)) {
            assertThat(get(client, "http://" + Door.HOST + ":" + plain.port() + "/x")
                            .body())
                    .asString()
                    .isEqualTo("hello /x");
            // Each exchange is recorded on a thread of its own.
            assertThat(door.rows(1)).hasSize(1);
            assertThat(get(client, "https://" + Door.HOST + ":" + tls.port() + "/y")
                            .body())
                    .asString()
                    .isEqualTo("hello /y");
            assertThat(door.rows(2)).extracting(NetRow::connectionType).containsExactly("http-mitm", "https-mitm");
            assertThat(door.rows(2)).extracting(NetRow::port).containsExactly(plain.port(), tls.port());
        }
    }

    @Test
    void aClientThatNamesNoServerInTlsIsToldSo() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                SSLSocket socket = (SSLSocket) Door.trust()
                        .getSocketFactory()
                        .createSocket(door.connect(origin.port()), "127.0.0.1", origin.port(), true)) {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setServerNames(List.of());
            socket.setSSLParameters(parameters);
            try (Http1Client client = new Http1Client(socket)) {
                Http1Client.Response response = client.exchange("GET / HTTP/1.1\r\nHost: " + Door.HOST + "\r\n\r\n");

                assertThat(response.status()).isEqualTo(421);
                assertThat(response.text()).contains("names no server (SNI)").contains("-servername");
                assertThat(origin.connections()).isZero();
                assertThat(door.rows(1).getFirst().policy().reason().orElseThrow())
                        .contains("SNI");
            }
        }
    }

    @Test
    void aConnectToOneHostIsNoWayToAnother() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                Socket socket = door.bare()) {
            socket.getOutputStream()
                    .write(("CONNECT allowed.example:" + origin.port() + " HTTP/1.1\r\nHost: allowed.example\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                    .isEqualTo("HTTP/1.1 200");
            int read = 0;
            while (read != '\n') {
                read = socket.getInputStream().read();
            }
            socket.getInputStream().readNBytes(2);
            SSLSocket tls = (SSLSocket)
                    Door.trust().getSocketFactory().createSocket(socket, new ByteArrayInputStream(new byte[0]), true);
            tls.setUseClientMode(true);
            SSLParameters parameters = tls.getSSLParameters();
            parameters.setServerNames(List.of(new SNIHostName(Door.HOST)));
            tls.setSSLParameters(parameters);
            try (Http1Client client = new Http1Client(tls)) {
                Http1Client.Response response = client.exchange(
                        "GET / HTTP/1.1\r\nHost: " + Door.HOST + "\r\nAccept: application/json\r\n\r\n");

                assertThat(response.status()).isEqualTo(421);
                assertThat(response.text()).contains("host_mismatch").contains("remedy");
            }
            assertThat(origin.connections()).isZero();
            assertThat(door.rows(1).get(0).decision()).isEqualTo(Outcome.DENIED);
        }
    }

    @Test
    void hostAndServerNameMustAgree() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            Http1Client.Response fronted = client.exchange("GET / HTTP/1.1\r\nHost: other.example\r\n\r\n");

            assertThat(fronted.status()).isEqualTo(421);
            assertThat(origin.connections()).isZero();
            assertThat(door.rows(1).get(0).policy().reason().orElseThrow()).contains("host_mismatch");
        }
    }

    @Test
    void theAddressMustBeOneThatDnsGave() throws Exception {
        Door.Setup setup = new Door.Setup();
        setup.ledgerAgrees = false;
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            Http1Client.Response response = client.exchange("GET / HTTP/1.1\r\nHost: " + Door.HOST + "\r\n\r\n");

            assertThat(response.status()).isEqualTo(403);
            assertThat(response.text()).contains("not one that this sandbox was given");
            assertThat(origin.connections()).isZero();
            assertThat(door.rows(1).get(0).policy().reason().orElseThrow()).contains("destination_mismatch");
        }
    }

    @Test
    void anAddressLiteralIsItsOwnName() throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                Http1Client same = new Http1Client(door.connect(origin.port()));
                Http1Client other = new Http1Client(door.connect(origin.port()))) {
            assertThat(same.exchange("GET /l HTTP/1.1\r\nHost: 127.0.0.1:" + origin.port() + "\r\n\r\n")
                            .text())
                    .isEqualTo("hello /l");
            assertThat(other.exchange("GET /l HTTP/1.1\r\nHost: 127.0.0.2:" + origin.port() + "\r\n\r\n")
                            .status())
                    .isEqualTo(403);
        }
    }

    @Test
    void oldTlsIsRefusedAndRecorded() throws Exception {
        try (Door door = new Door.Setup().open();
                Socket socket = door.connect(443)) {
            // A ClientHello of TLS 1.0 with one cipher suite and no extensions.
            byte[] hello = new byte[50];
            byte[] head = {0x16, 3, 1, 0, 45, 1, 0, 0, 41, 3, 1};
            System.arraycopy(head, 0, hello, 0, head.length);
            byte[] tail = {0, 0, 2, 0, 0x2f, 1, 0};
            System.arraycopy(tail, 0, hello, 43, tail.length);
            socket.getOutputStream().write(hello);

            assertThat(socket.getInputStream().read()).as("an alert").isEqualTo(0x15);
            NetRow row = door.rows(1).get(0);
            assertThat(row.decision()).isEqualTo(Outcome.ERROR);
            assertThat(row.connectionType()).isEqualTo("https-mitm");
        }
    }

    @Test
    void whatIsNeitherTlsNorHttpIsRefusedAndRecorded() throws Exception {
        try (Door door = new Door.Setup().open();
                Socket socket = door.connect(22)) {
            socket.getOutputStream().write(new byte[] {(byte) 0x90, 1, 2, 3, 4, 5, 6});

            assertThat(socket.getInputStream().read()).isEqualTo(-1);
            NetRow row = door.rows(1).get(0);
            assertThat(row.connectionType()).isEqualTo("tcp");
            assertThat(row.port()).isEqualTo(22);
            assertThat(row.decision()).isEqualTo(Outcome.DENIED);
            assertThat(row.policy().reason()).contains("unknown protocol byte 0x90");
        }
    }

    @Test
    void framedMcpIsHandedOver() throws Exception {
        AtomicReference<String> seen = new AtomicReference<>();
        Door.Setup setup = new Door.Setup();
        setup.mcp = Optional.of((channel, received, process) -> {
            byte[] bytes = new byte[received.remaining()];
            received.get(bytes);
            seen.set(process.orElseThrow() + " " + new String(bytes, 4, 2, StandardCharsets.US_ASCII));
        });
        try (Door door = setup.open();
                Socket socket = door.connect(5002)) {
            socket.getOutputStream().write(new byte[] {0, 0, 0, 64, 'M', 'C', 1, 2});

            assertThat(socket.getInputStream().read()).isEqualTo(-1);
            assertThat(seen).hasValue("curl MC");
        }
    }

    @Test
    void aPrivateAddressIsJudgedAndTheJudgedOneIsUsed() throws Exception {
        Door.Setup setup = new Door.Setup();
        setup.rules = event -> event instanceof SecurityEvent.HttpRequest request
                        && request.addressClass().filter("loopback"::equals).isPresent()
                ? new Evaluation(
                        new Evaluation.Blocked(dev.capsem.events.security.BlockCause.PRIVATE_ADDRESS),
                        Optional.empty(),
                        Optional.of("leads into the host's own networks"),
                        List.of(),
                        List.of())
                : Door.allow();
        setup.resolver = _ -> new Resolution.Addresses(List.of(InetAddress.ofLiteral("127.0.0.1")));
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            Http1Client.Response response = client.exchange("GET / HTTP/1.1\r\nHost: " + Door.HOST + "\r\n\r\n");

            assertThat(response.status()).isEqualTo(403);
            assertThat(response.text()).contains("own networks");
            assertThat(origin.connections()).isZero();
            assertThat(door.rows(1).get(0).decision()).isEqualTo(Outcome.DENIED);
        }
    }

    @Test
    void aRewriteNeedNotFitAgainOnceTheAddressIsKnown() throws Exception {
        Door.Setup setup = new Door.Setup();
        setup.rules = event -> event instanceof SecurityEvent.HttpRequest request ? newVersion(request) : Door.allow();
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            assertThat(client.exchange("GET /v1 HTTP/1.1\r\nHost: " + Door.HOST + ":" + origin.port() + "\r\n\r\n")
                            .text())
                    .isEqualTo("hello /v2");
            assertThat(door.rows(1).get(0).policy().action()).contains("rewrite");
            assertThat(client.exchange("GET /v2 HTTP/1.1\r\nHost: " + Door.HOST + ":" + origin.port() + "\r\n\r\n")
                            .status())
                    .as("where it never fitted")
                    .isEqualTo(403);
        }
    }

    private static Evaluation newVersion(SecurityEvent.HttpRequest request) {
        Evaluation.Outcome outcome = request.path().equals("/v1")
                ? new Evaluation.Rewritten(request.withPath("/v2"), List.of())
                : new Evaluation.Blocked(dev.capsem.events.security.BlockCause.REWRITE_FAILED);
        return new Evaluation(
                outcome,
                Optional.of(dev.capsem.events.security.RuleId.of("http", "new_version")),
                Optional.empty(),
                List.of(),
                List.of());
    }

    @Test
    void upstreamsThatCannotBeTrustedAreToldApart() throws Exception {
        Door.Setup unresolved = new Door.Setup();
        unresolved.resolver = _ -> new Resolution.Failed("no such name");
        try (Origin wrongName = Origin.tls(Door.ORIGINS, "other.example", false, HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                Door lost = unresolved.open()) {
            try (Http1Client client = new Http1Client(door.tls(wrongName.port(), Door.HOST))) {
                Http1Client.Response response = client.exchange(
                        "GET / HTTP/1.1\r\nHost: " + Door.HOST + "\r\nAccept: application/json\r\n\r\n");
                assertThat(response.status()).isEqualTo(502);
                assertThat(response.text()).contains("upstream_certificate");
                assertThat(wrongName.log()).isEmpty();
                assertThat(door.rows(1).get(0).decision()).isEqualTo(Outcome.ERROR);
            }
            try (Http1Client client = new Http1Client(lost.tls(443, Door.HOST))) {
                Http1Client.Response response = client.exchange("GET / HTTP/1.1\r\nHost: " + Door.HOST + "\r\n\r\n");
                assertThat(response.status()).isEqualTo(502);
                assertThat(response.text()).contains("no such name");
            }
            try (Http1Client client = new Http1Client(door.connect(1))) {
                assertThat(client.exchange("GET / HTTP/1.1\r\nHost: " + Door.HOST + ":1\r\n\r\n")
                                .status())
                        .isEqualTo(502);
            }
        }
    }

    @Test
    void sessionsResumeOnTheGuestsLeg() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = new Door.Setup().open()) {
            javax.net.ssl.SSLContext shared = Door.trust();
            long first = 0;
            for (int i = 0; i < 3; i++) {
                SSLSocket tls = (SSLSocket) shared.getSocketFactory()
                        .createSocket(door.connect(origin.port()), Door.HOST, origin.port(), true);
                SSLParameters parameters = tls.getSSLParameters();
                parameters.setServerNames(List.of(new SNIHostName(Door.HOST)));
                tls.setSSLParameters(parameters);
                try (Http1Client client = new Http1Client(tls)) {
                    client.exchange("GET / HTTP/1.1\r\nHost: " + Door.HOST + "\r\n\r\n");
                    long created = tls.getSession().getCreationTime();
                    first = i == 0 ? created : first;
                    assertThat(created).as("connection %d", i).isEqualTo(first);
                }
                Thread.sleep(5);
            }
        }
    }
}
