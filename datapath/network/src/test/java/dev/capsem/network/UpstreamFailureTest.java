package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.vocabulary.StepStatus;
import dev.capsem.network.tls.AuthorityKeys;
import dev.capsem.network.tls.CertificateAuthority;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Why an upstream could not be had is told to the guest and written down, in the same plain words.
@Timeout(180)
@Tag("sockets")
class UpstreamFailureTest {
    private static void fails(Origin origin, String words) throws Exception {
        try (origin;
                Door door = new Door.Setup().open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            Http1Client.Response response =
                    client.exchange("GET /x HTTP/1.1\r\nHost: " + Door.HOST + ":" + origin.port() + "\r\n\r\n");

            assertThat(response.status()).isEqualTo(502);
            assertThat(response.text()).contains(words);
            isRecorded(door, words);
        }
    }

    private static void isRecorded(Door door, String words) throws InterruptedException {
        NetRow row = door.rows(1).getFirst();
        assertThat(row.decision()).isEqualTo(Outcome.ERROR);
        assertThat(row.policy().reason().orElseThrow()).contains(words);
        assertThat(row.policy().action()).contains("allow");
        assertThat(door.recorded.getFirst().event().steps())
                .anyMatch(step -> step.status() == StepStatus.ERROR
                        && step.message().orElse("").contains(words));
    }

    private static Origin signedBy(CertificateAuthority authority, String host) throws Exception {
        return Origin.tls(authority, host, false, HttpsExchangeTest::ok);
    }

    @Test
    void anExpiredCertificateIsTold() throws Exception {
        fails(
                signedBy(Door.originsAt(Instant.parse("2020-01-31T12:00:00Z")), Door.HOST),
                "certificate expired on 2020-02-01");
    }

    @Test
    void aCertificateOfTheFutureIsTold() throws Exception {
        fails(
                signedBy(Door.originsAt(Instant.parse("2099-01-31T12:00:00Z")), Door.HOST),
                "not valid yet, but from 2099-01-31");
    }

    @Test
    void aCertificateForAnotherHostIsTold() throws Exception {
        fails(signedBy(Door.ORIGINS, "other.example"), "host name does not match");
    }

    @Test
    void anUnknownAuthorityIsTold() throws Exception {
        AuthorityKeys keys = AuthorityKeys.generate(
                Instant.parse("2020-01-01T00:00:00Z"), Instant.parse("2120-01-01T00:00:00Z"), new SecureRandom());
        fails(
                signedBy(new CertificateAuthority(keys, InstantSource.system(), new SecureRandom()), Door.HOST),
                "an authority that this host does not trust");
    }

    @Test
    void aPortWithoutTlsIsTold() throws Exception {
        fails(Origin.plain(HttpsExchangeTest::ok), "does not speak TLS on this port");
    }

    @Test
    void aRefusedConnectionIsTold() throws Exception {
        int port;
        try (ServerSocket nobody = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = nobody.getLocalPort();
        }
        try (Door door = new Door.Setup().open();
                Http1Client client = new Http1Client(door.connect(port))) {
            assertThat(client.exchange("GET /x HTTP/1.1\r\nHost: " + Door.HOST + ":" + port + "\r\n\r\n")
                            .text())
                    .contains("connection refused");
            isRecorded(door, "connection refused");
        }
    }

    @Test
    void anAnswerCutShortIsOnRecord() throws Exception {
        try (Origin origin = Origin.raw(new HalfAnswer());
                Door door = new Door.Setup().open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            client.send("GET /x HTTP/1.1\r\nHost: " + Door.HOST + ":" + origin.port() + "\r\n\r\n");

            assertThat(client.stream().readAllBytes()).isNotEmpty();
            isRecorded(door, "the upstream closed the connection");
        }
    }

    @ChannelHandler.Sharable
    @SuppressWarnings("FutureReturnValueIgnored")
    private static final class HalfAnswer extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
            ctx.writeAndFlush(Unpooled.copiedBuffer(
                            "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", StandardCharsets.US_ASCII))
                    .addListener(_ -> ctx.close());
        }
    }
}
