package dev.capsem.network.dns;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class GuestStreamTest {
    private static final byte[] PREAMBLE =
            "\0CAPSEM_META:curl\n\0CAPSEM_DST:10.0.2.3:53/udp\n".getBytes(StandardCharsets.US_ASCII);

    @Test
    void readsTheSameMessagesUnderAnySplit() throws IOException {
        Random random = CodecTest.seeded();
        for (int round = 0; round < 300; round++) {
            List<byte[]> sent = new ArrayList<>();
            List<byte[]> parts = new ArrayList<>(List.of(PREAMBLE));
            for (int i = random.nextInt(5); i >= 0; i--) {
                byte[] message = new byte[random.nextInt(4) == 0 ? random.nextInt(65_536) : random.nextInt(80)];
                random.nextBytes(message);
                sent.add(message);
                parts.add(Messages.u16(message.length));
                parts.add(message);
            }
            SplitChannel channel = new SplitChannel(Messages.bytes(parts.toArray(byte[][]::new)), random);
            GuestStream stream = new GuestStream(channel);

            assertThat(stream.preamble().orElseThrow().processName()).contains("curl");
            for (byte[] message : sent) {
                assertThat(stream.message().orElseThrow()).isEqualTo(message);
            }
            assertThat(stream.message()).isEmpty();
        }
    }

    @Test
    void aMessageWithoutItsEndIsNone() throws IOException {
        GuestStream stream = new GuestStream(new SplitChannel(new byte[] {0, 9, 1, 2}, new Random(1)));

        assertThat(stream.preamble()).isPresent();
        assertThat(stream.message()).isEqualTo(Optional.empty());
    }
}
