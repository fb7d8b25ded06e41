package dev.capsem.wire.guest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.Decoded;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PreambleTest {
    private static final String BOTH = "\0CAPSEM_META:curl\n\0CAPSEM_DST:192.0.2.1:80\n";

    @Test
    void readsThePathOfTheCallerBetweenItsNameAndItsDestination() {
        String lines = """
                \0CAPSEM_META:node
                \0CAPSEM_EXE:/usr/bin/node
                \0CAPSEM_SCRIPT:/usr/bin/gemini
                \0CAPSEM_DST:192.0.2.1:80
                """;

        assertThat(decode(lines + "GET", false))
                .isEqualTo(new Decoded.Message<>(
                        new Preamble(
                                Optional.of("node"),
                                Optional.of("/usr/bin/node"),
                                Optional.of("/usr/bin/gemini"),
                                Optional.of(new Preamble.Destination("192.0.2.1", 80))),
                        lines.length()));
        for (int size = 1; size < lines.length(); size++) {
            assertThat(decode(lines.substring(0, size), false))
                    .as("%d bytes", size)
                    .isInstanceOf(Decoded.NeedMore.class);
        }
        for (String bad : new String[] {"git", "", "/bin/\u0007x"}) {
            assertThat(preamble(decode("\0CAPSEM_META:git\n\0CAPSEM_EXE:" + bad + "\nGET", false))
                            .executable())
                    .as(bad)
                    .isEmpty();
            assertThat(preamble(decode("\0CAPSEM_META:node\n\0CAPSEM_SCRIPT:" + bad + "\nGET", false))
                            .script())
                    .as(bad)
                    .isEmpty();
        }
        assertThat(preamble(decode("\0CAPSEM_META:node\n\0CAPSEM_SCRIPT:/a.js\nGET", false))
                        .script())
                .contains("/a.js");
    }

    @Test
    void readsBothLinesAndLeavesTheStream() {
        Decoded<Preamble> decoded = decode(BOTH + "GET / HTTP/1.1", false);

        assertThat(decoded)
                .isEqualTo(new Decoded.Message<>(
                        new Preamble(Optional.of("curl"), Optional.of(new Preamble.Destination("192.0.2.1", 80))),
                        BOTH.length()));
    }

    @Test
    void readsAnIpv6Destination() {
        Decoded<Preamble> decoded = decode("\0CAPSEM_META:a\n\0CAPSEM_DST:[2001:db8::1]:443\nx", false);

        assertThat(preamble(decoded).destination()).contains(new Preamble.Destination("2001:db8::1", 443));
    }

    @Test
    void tellsADatagramFromAConnection() {
        Decoded<Preamble> decoded = decode("\0CAPSEM_META:a\n\0CAPSEM_DST:192.0.2.1:53/udp\nx", false);

        assertThat(preamble(decoded).destination()).contains(new Preamble.Destination("192.0.2.1", 53, true));
    }

    @Test
    void bothLinesAreOptional() {
        assertThat(decode("GET / HTTP/1.1", false))
                .isEqualTo(new Decoded.Message<>(new Preamble(Optional.empty(), Optional.empty()), 0));
        assertThat(preamble(decode("\0CAPSEM_META:a\nGET", false)).destination())
                .isEmpty();
        assertThat(preamble(decode("", true)).processName()).isEmpty();
        assertThat(preamble(decode("\0CAPSEM_META:a\n", true)).processName()).contains("a");
    }

    @Test
    void anMcpFrameAfterMetaIsNotADestination() {
        byte[] frame = {0, 0, 0, 20, 0x4d, 0x43};

        Decoded<Preamble> decoded = decode("\0CAPSEM_META:a\n" + new String(frame, StandardCharsets.ISO_8859_1), false);

        assertThat(decoded).isEqualTo(new Decoded.Message<>(new Preamble(Optional.of("a"), Optional.empty()), 15));
    }

    @Test
    void giveTheSameAnswerUnderAnySplit() {
        byte[] bytes = BOTH.getBytes(StandardCharsets.US_ASCII);
        for (int size = 0; size < bytes.length; size++) {
            ByteBuffer part = ByteBuffer.wrap(bytes, 0, size);

            assertThat(Preamble.decode(part, false)).as("%d bytes", size).isInstanceOf(Decoded.NeedMore.class);
        }
    }

    @Test
    void aLineWithoutEndIsMalformedAtItsLimitOrAtTheEnd() {
        String open = "\0CAPSEM_META:" + "x".repeat(Preamble.LINE_BYTES_MAX);

        assertThat(decode(open, false)).isInstanceOf(Decoded.Malformed.class);
        assertThat(decode("\0CAPSEM_META:x", true)).isInstanceOf(Decoded.Malformed.class);
        assertThat(decode("\0CAPS", true)).isInstanceOf(Decoded.Malformed.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "example.com:80",
                "192.0.2.1",
                "192.0.2.1:0",
                "192.0.2.1:65536",
                "256.0.2.1:80",
                "[::1:80",
                "[192.0.2.1%lo]:80",
                "[:::1]:80",
                "192.0.2.1:80/tcp",
                "192.0.2.1:80/udp/udp",
                ""
            })
    void refusesADestinationThatIsNoAddressAndPort(String destination) {
        assertThat(decode("\0CAPSEM_META:a\n\0CAPSEM_DST:" + destination + "\nx", false))
                .isInstanceOf(Decoded.Malformed.class);
    }

    @Test
    void makesNamesSafeToShow() {
        String name = preamble(decode("\0CAPSEM_META:my tool\u001b[31m\nx", false))
                .processName()
                .orElseThrow();

        assertThat(name).isEqualTo("my_tool_[31m");
    }

    @Test
    void cutsANameOnACharacterBoundary() {
        String name = preamble(decode("\0CAPSEM_META:x" + "ä".repeat(100) + "\nx", false))
                .processName()
                .orElseThrow();

        assertThat(name).isEqualTo("x" + "ä".repeat(63));
    }

    @Test
    void aNameThatIsNotUtf8IsAbsent() {
        byte[] bytes = "\0CAPSEM_META:a?\nx".getBytes(StandardCharsets.US_ASCII);
        bytes[14] = (byte) 0xff;

        Decoded<Preamble> decoded = Preamble.decode(ByteBuffer.wrap(bytes), false);

        assertThat(preamble(decoded).processName()).isEmpty();
    }

    @Test
    void randomBytesNeverThrow() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 5_000; round++) {
            byte[] noise = new byte[random.nextInt(64)];
            random.nextBytes(noise);
            String start = random.nextBoolean() ? "\0CAPSEM_META:a\n\0CAPSEM_DST:" : "\0CAPSEM_META:";
            ByteBuffer in = ByteBuffer.allocate(128)
                    .put(start.getBytes(StandardCharsets.US_ASCII))
                    .put(noise)
                    .flip();

            assertThat(Preamble.decode(in, true)).as("seed %d", seed).isNotInstanceOf(Decoded.NeedMore.class);
        }
    }

    private static Decoded<Preamble> decode(String text, boolean ended) {
        return Preamble.decode(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), ended);
    }

    private static Preamble preamble(Decoded<Preamble> decoded) {
        assertThat(decoded).isInstanceOf(Decoded.Message.class);
        return ((Decoded.Message<Preamble>) decoded).value();
    }
}
