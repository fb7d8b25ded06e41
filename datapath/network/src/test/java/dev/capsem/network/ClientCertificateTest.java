package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.network.tls.CertificateAuthority;
import dev.capsem.network.tls.ClientIdentity;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A server that wants to know who calls is told, and no other.
@Timeout(180)
@Tag("sockets")
class ClientCertificateTest {
    private static final String CALLER = "caller.example";

    private static CertificateAuthority.Leaf caller() throws Exception {
        return Door.ORIGINS.leaf(CALLER);
    }

    private static Door knownTo(String host, ClientIdentity identity) throws Exception {
        Door.Setup setup = new Door.Setup();
        setup.settings = setup.settings.withClientIdentities(Map.of(host, identity));
        return setup.open();
    }

    private static Http1Client.Response get(Door door, Origin origin) throws Exception {
        try (Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            return client.exchange("GET /x HTTP/1.1\r\nHost: " + Door.HOST + ":" + origin.port() + "\r\n\r\n");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theHostThatIsNamedIsShownTheCertificate(boolean http2) throws Exception {
        ClientIdentity identity = new ClientIdentity.Held(caller().key(), caller().chain());
        try (Origin origin = Origin.tlsForKnownCallers(Door.HOST, http2, HttpsExchangeTest::ok);
                Door door = knownTo(Door.HOST, identity)) {
            assertThat(get(door, origin).status()).isEqualTo(200);
            assertThat(origin.callers())
                    .extracting(X509Certificate::getSubjectX500Principal)
                    .containsExactly(caller().chain().getFirst().getSubjectX500Principal());
        }
    }

    @Test
    void anotherHostThatAsksIsShownNone() throws Exception {
        ClientIdentity identity = new ClientIdentity.Held(caller().key(), caller().chain());
        try (Origin origin = Origin.tlsForKnownCallers(Door.HOST, false, HttpsExchangeTest::ok);
                Door door = knownTo("other.example", identity)) {
            Http1Client.Response response = get(door, origin);

            assertThat(response.status()).isEqualTo(502);
            assertThat(response.text()).contains("client certificate");
            assertThat(origin.callers()).isEmpty();
            assertThat(origin.log()).isEmpty();
            NetRow row = door.rows(1).getFirst();
            assertThat(row.decision()).isEqualTo(Outcome.ERROR);
            assertThat(row.policy().reason().orElseThrow()).contains("client certificate");
        }
    }

    @Test
    void aCertificateThatCannotBeHadClosesItsHostAndIsOnRecord() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = knownTo(Door.HOST, new ClientIdentity.Missing("its file cannot be read"))) {
            Http1Client.Response response = get(door, origin);

            assertThat(response.status()).isEqualTo(502);
            assertThat(response.text()).contains("its file cannot be read").contains("client_certificates");
            assertThat(origin.log()).isEmpty();
            assertThat(door.rows(1))
                    .extracting(row -> row.policy().reason().orElse(""))
                    .allMatch(reason -> reason.contains("its file cannot be read"));
        }
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = knownTo("other.example", new ClientIdentity.Missing("its file cannot be read"))) {
            assertThat(get(door, origin).status()).isEqualTo(200);
        }
    }

    @Test
    void noExchangeIsRecordedWithTheKey() throws Exception {
        ClientIdentity identity = new ClientIdentity.Held(caller().key(), caller().chain());
        try (Origin origin = Origin.tlsForKnownCallers(Door.HOST, false, HttpsExchangeTest::ok);
                Door door = knownTo(Door.HOST, identity)) {
            get(door, origin);
            door.rows(1);

            assertThat(List.of(door.recorded.toString(), identity.toString(), door.asked.toString()))
                    .noneMatch(text -> text.contains("PRIVATE") || text.contains("privateKey"));
        }
    }
}
