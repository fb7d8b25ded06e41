package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.network.address.Resolution;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Barriers that another one usually stands behind, each without the other.
@Timeout(180)
@Tag("sockets")
class EachBarrierAloneTest {
    private static final InetAddress NOBODY = InetAddress.ofLiteral("127.0.0.2");

    private final Door.Setup setup = new Door.Setup();

    private static String get(String host) {
        return "GET /p HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
    }

    /// Most profiles have no rule on addresses: what leads inside is judged all the same.
    @Test
    void anAddressInsideIsJudgedThoughNoRuleReadsAddresses() throws Exception {
        setup.readsAddresses = false;
        setup.rules = event -> event instanceof SecurityEvent.HttpRequest request && request.leadsInside()
                ? Evaluation.blocked(BlockCause.PRIVATE_ADDRESS, "it leads inside")
                : Door.allow();
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            assertThat(client.exchange(get(Door.HOST)).status()).isEqualTo(403);

            assertThat(origin.connections()).isZero();
            assertThat(door.rows(1).getFirst().decision()).isEqualTo(Outcome.DENIED);
        }
    }

    /// What was said of the first address of a name says nothing of the second.
    @Test
    void theAddressThatIsTriedNextIsJudgedAsWell() throws Exception {
        setup.resolver = _ -> new Resolution.Addresses(List.of(NOBODY, InetAddress.getLoopbackAddress()));
        setup.rules = event -> event instanceof SecurityEvent.HttpRequest request
                        && request.address().filter(to -> !to.equals(NOBODY)).isPresent()
                ? HttpsExchangeTest.block("not_there", "not there")
                : Door.allow();
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            assertThat(client.exchange(get(Door.HOST)).status()).isEqualTo(403);

            assertThat(origin.connections()).isZero();
            assertThat(door.rows(1).getFirst().policy().rule()).hasValue("security.rules.http.not_there");
        }
    }

    @Test
    void aHostWithAnotherPortThanTheConnectionIsRefused() throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            Http1Client.Response refused = client.exchange(get(Door.HOST + ":1"));

            assertThat(refused.status()).isEqualTo(421);
            assertThat(refused.text()).contains("another port than its connection");
            assertThat(origin.connections()).isZero();
            assertThat(door.asked).isEmpty();
            assertThat(door.rows(1).getFirst().decision()).isEqualTo(Outcome.DENIED);
        }
    }

    /// Trailers are not sent on, but a reader that mixes them into the head must never have seen these.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 5",
                "Transfer-Encoding: chunked",
                "Host: other.example.test",
                "Trailer: X-More",
                "Content-Encoding: gzip",
                "Authorization: Bearer x"
            })
    void aTrailerThatBelongsInTheHeadIsMalformed(String trailer) throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            client.send("POST /p HTTP/1.1\r\nHost: " + Door.HOST + "\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "5\r\nhello\r\n0\r\n" + trailer + "\r\n\r\n");

            assertThat(client.read(false).status()).isEqualTo(400);
            assertThat(origin.log()).isEmpty();
        }
    }
}
