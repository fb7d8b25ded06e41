package dev.capsem.network.start;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.Decoded;
import dev.capsem.wire.guest.Preamble;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class ConnectionStartTest {
    private static final String META = "\0CAPSEM_META:python3\n";
    private static final String DESTINATION = "\0CAPSEM_DST:192.0.2.9:443\n";

    private static final ConnectionStart.Unknown UNDECIDED = new ConnectionStart.Unknown("undecided");

    private static Decoded<ConnectionStart> decode(byte[] bytes, boolean ended) {
        return ConnectionStart.decode(ByteBuffer.wrap(bytes), ended);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static ConnectionStart.Protocol protocol(String text) {
        return decode(bytes(text), false) instanceof Decoded.Message<ConnectionStart>(ConnectionStart start, int _)
                ? start.protocol()
                : UNDECIDED;
    }

    @Test
    void tellsWhatIsSpoken() {
        assertThat(protocol(META + DESTINATION + "\u0016\u0003\u0001")).isEqualTo(new ConnectionStart.Tls());
        assertThat(protocol("GET / HTTP/1.1\r\n")).isEqualTo(new ConnectionStart.Http());
        assertThat(protocol(META + "\0\0\0@MC")).isEqualTo(new ConnectionStart.Mcp());
        for (String malformed :
                List.of("GET /a b HTTP/1.1\r\n", "GET /\r\n", "GET\t/ HTTP/1.1\n", "A(B) / HTTP/9\r\n")) {
            assertThat(protocol(malformed)).as("told so in its terms").isEqualTo(new ConnectionStart.Http());
        }
        assertThat(protocol("GET /" + "a".repeat(3_000))).as("a long URL").isEqualTo(new ConnectionStart.Http());
        assertThat(protocol("PRI * HTTP/2.0\r\n")).isEqualTo(new ConnectionStart.Http2());
        assertThat(protocol("\u0080abcdef")).isEqualTo(new ConnectionStart.Unknown("unknown protocol byte 0x80"));
        assertThat(protocol("\0\0\0@XX")).isEqualTo(new ConnectionStart.Unknown("unknown protocol byte 0x00"));
        assertThat(protocol("\0\u00ff\u00ff\u00ffMC"))
                .as("a frame larger than any")
                .isEqualTo(new ConnectionStart.Unknown("unknown protocol byte 0x00"));
    }

    @Test
    void aWordInCapitalsIsNotHttpYet() {
        for (String line : List.of(
                "SSH-2.0-OpenSSH_9.2p1\r\n",
                "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n",
                "EHLO mail.example\r\n",
                "PING\r\n",
                "*1\r\n$4\r\nPING\r\n",
                "NICK me\r\n",
                "USER guest 0 * :me\r\n",
                "A\0B",
                "QUERY x HTTP\r\n")) {
            assertThat(protocol(line)).as(line).isInstanceOf(ConnectionStart.Unknown.class);
        }
        assertThat(protocol("SSH-2.0-Open")).as("may still be a method").isEqualTo(UNDECIDED);
        assertThat(decode(bytes("GET / HT"), true))
                .isEqualTo(new Decoded.Message<>(
                        new ConnectionStart(
                                new Preamble(Optional.empty(), Optional.empty()),
                                new ConnectionStart.Unknown("the connection ended within its first line")),
                        0));
    }

    @Test
    void takesReportsOfRefusedPackets() {
        assertThat(protocol(META + "\0CAPSEM_REFUSED:udp 192.0.2.9:443 12\n"))
                .isEqualTo(new ConnectionStart.Undelivered("udp", InetAddress.ofLiteral("192.0.2.9"), 443, 12));
        assertThat(protocol(META + "\0CAPSEM_REFUSED:icmpv6 [2001:db8::9]:0 1\n"))
                .isEqualTo(new ConnectionStart.Undelivered("icmpv6", InetAddress.ofLiteral("2001:db8::9"), 0, 1));
        assertThat(protocol(META + DESTINATION + "\0CAPSEM_REFUSED:udp 192.0.2.9:443 12\n"))
                .as("from the guest itself")
                .isEqualTo(new ConnectionStart.Unknown("unknown protocol byte 0x00"));
    }

    @Test
    void refusesReportsOfNothing() {
        for (String report : List.of(
                "",
                "udp",
                "udp 999.0.0.1:1 1",
                "udp [::g]:1 1",
                "udp 192.0.2.9:65536 1",
                "udp 192.0.2.9:1 -1",
                "udp 192.0.2.9:1 9999999999999999999",
                "a/b 192.0.2.9:1 1")) {
            assertThat(decode(bytes(META + "\0CAPSEM_REFUSED:" + report + "\n"), false))
                    .as(report)
                    .isInstanceOf(Decoded.Malformed.class);
        }
        assertThat(decode(bytes(META + "\0CAPSEM_REFUSED:udp 192.0.2.9:1 1"), true))
                .isInstanceOf(Decoded.Malformed.class);
    }

    @Test
    void aConnectionThatSaysNothingIsUnknown() {
        assertThat(decode(new byte[0], false)).isEqualTo(new Decoded.NeedMore<>());
        assertThat(decode(new byte[0], true)).isInstanceOf(Decoded.Message.class);
        assertThat(decode(bytes(META), false)).isEqualTo(new Decoded.NeedMore<>());
    }

    @Test
    void givesTheSameAnswerUnderAnySplit() {
        List<String> starts = List.of(
                META + DESTINATION + "\u0016\u0003\u0001rest",
                META + "POST /x HTTP/1.1\r\n",
                META + "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n",
                "GET\r\n",
                "GET /\r\n",
                "EHLO x\r\n",
                "AB(C) /x HTTP/1.1\r\n",
                "A".repeat(40) + " / HTTP/1.1\r\n",
                "\0\0\0@MCrest",
                DESTINATION + "GET",
                META + "\0CAPSEM_REFUSED:udp 192.0.2.9:443 12\n",
                META + "\0CAPSEM_REFUSED:" + "n".repeat(5_000) + "\n",
                META + "\0CAPSEM_DST:nonsense\nGET",
                "\0CAPSEM_META:" + "n".repeat(5_000) + "\n");
        for (String start : starts) {
            byte[] whole = bytes(start);
            Decoded<ConnectionStart> expected = decode(whole, false);
            for (int end = 0; end <= whole.length; end++) {
                Decoded<ConnectionStart> early = decode(Arrays.copyOf(whole, end), false);
                assertThat(early)
                        .as("%s cut at %d", start.substring(0, Math.min(30, start.length())), end)
                        .isIn(new Decoded.NeedMore<>(), expected);
            }
        }
    }

    @Test
    void neverThrowsOnRandomBytes() {
        long seed = 20_261_115;
        RandomGenerator random = new SplittableRandom(seed);
        for (int round = 0; round < 2_000; round++) {
            byte[] bytes = new byte[random.nextInt(64)];
            random.nextBytes(bytes);
            if (bytes.length > 0 && round % 2 == 0) {
                bytes[0] = 0;
            }

            assertThat(decode(bytes, true)).as("seed %d, round %d", seed, round).isNotNull();
        }
    }
}
