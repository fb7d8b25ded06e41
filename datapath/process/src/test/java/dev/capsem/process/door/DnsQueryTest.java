package dev.capsem.process.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.process.record.Recorder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class DnsQueryTest {
    @Test
    void refusesAQuestionAndEchoesIt() {
        byte[] query = query(1, "example", "com");

        DnsQuery parsed = DnsQuery.parse(query);
        ByteBuffer answer = ByteBuffer.wrap(parsed.refusal());

        assertThat(parsed)
                .isInstanceOfSatisfying(
                        DnsQuery.Understood.class,
                        understood -> assertThat(understood.questions())
                                .containsExactly(new Recorder.Question("example.com", 28, 1)));
        assertThat(answer.getShort()).isEqualTo((short) 0x1234);
        assertThat(answer.getShort()).isEqualTo((short) 0x8185);
        assertThat(answer.getShort()).isEqualTo((short) 1);
        assertThat(answer.position(12).slice()).isEqualTo(ByteBuffer.wrap(query, 12, query.length - 12));
    }

    @Test
    void showsOddNamesAsZoneFilesDo() {
        DnsQuery parsed = DnsQuery.parse(query(1, "a.b", "c\u0001"));

        assertThat(((DnsQuery.Understood) parsed).questions().getFirst().name()).isEqualTo("a\\046b.c\\001");
    }

    @Test
    void answersFormatErrorToWhatItCannotRead() {
        byte[] pointer = query(1, "example");
        pointer[12] = (byte) 0xc0;
        byte[] many = query(1, "example");
        many[5] = 9;

        for (byte[] message :
                new byte[][] {pointer, many, query(0), ByteBuffer.allocate(12).array()}) {
            assertThat(DnsQuery.parse(message)).isInstanceOf(DnsQuery.Unreadable.class);
            assertThat(DnsQuery.parse(message).refusal()[3] & 0x0f).isEqualTo(1);
        }
    }

    @Test
    void isSilentToResponsesAndFragments() {
        byte[] response = query(1, "example");
        response[2] |= (byte) 0x80;

        assertThat(DnsQuery.parse(response)).isInstanceOf(DnsQuery.Nothing.class);
        assertThat(DnsQuery.parse(new byte[11])).isInstanceOf(DnsQuery.Nothing.class);
    }

    @Test
    void refusesANameThatIsTooLong() {
        String[] labels = {"a".repeat(63), "b".repeat(63), "c".repeat(63), "d".repeat(63), "e"};

        assertThat(DnsQuery.parse(query(1, labels))).isInstanceOf(DnsQuery.Unreadable.class);
    }

    @Test
    void randomBytesNeverThrow() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            byte[] message = new byte[random.nextInt(80)];
            random.nextBytes(message);
            if (message.length > 5) {
                message[2] &= 0x7f;
                message[4] = 0;
                message[5] = (byte) random.nextInt(4);
            }

            assertThat(DnsQuery.parse(message).refusal().length)
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo(Math.max(12, message.length));
        }
    }

    private static byte[] query(int questions, String... labels) {
        ByteBuffer out = ByteBuffer.allocate(512)
                .putShort((short) 0x1234)
                .putShort((short) 0x0100)
                .putShort((short) questions)
                .putShort((short) 0)
                .putShort((short) 0)
                .putShort((short) 0);
        for (String label : labels) {
            byte[] bytes = label.getBytes(StandardCharsets.ISO_8859_1);
            out.put((byte) bytes.length).put(bytes);
        }
        out.put((byte) 0).putShort((short) 28).putShort((short) 1).flip();
        byte[] message = new byte[out.remaining()];
        out.get(message);
        return message;
    }
}
