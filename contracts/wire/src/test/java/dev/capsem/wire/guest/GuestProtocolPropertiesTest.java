package dev.capsem.wire.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.capsem.wire.Decoded;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Properties of the decoder for bytes nobody chose. The seed is in the name of each assertion.
final class GuestProtocolPropertiesTest {
    private static final int ROUNDS = 20_000;

    @Test
    void randomBytesNeverThrowAndWhatDecodesEncodesBack() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int messages = 0;
        for (int round = 0; round < ROUNDS; round++) {
            ByteBuffer frame = randomFrame(random);

            Decoded<GuestMessage> decoded = GuestProtocol.decodeGuest(frame);

            assertThat(decoded).as("seed %d round %d", seed, round).isNotInstanceOf(Decoded.NeedMore.class);
            if (decoded instanceof Decoded.Message<GuestMessage>(GuestMessage message, int consumed)) {
                assertThat(GuestProtocol.encode(message))
                        .as("seed %d round %d", seed, round)
                        .isEqualTo(frame.slice(0, consumed));
                messages++;
            }
        }
        assertThat(messages).as("seed %d: some frames decode", seed).isPositive();
    }

    @Test
    void damagedVectorsNeverThrow() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            var vectors = GuestProtocolVectorsTest.vectors();
            byte[] frame = vectors.get(random.nextInt(vectors.size())).frame().clone();
            frame[4 + random.nextInt(frame.length - 4)] ^= (byte) (1 << random.nextInt(8));

            ByteBuffer in = ByteBuffer.wrap(frame);

            assertThat(GuestProtocol.decodeGuest(in)).as("seed %d", seed).isNotInstanceOf(Decoded.NeedMore.class);
            assertThat(GuestProtocol.decodeHost(in)).as("seed %d", seed).isNotInstanceOf(Decoded.NeedMore.class);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, GuestProtocol.FRAME_LENGTH_MAX + 1, -1, Integer.MIN_VALUE})
    void refusesALengthOutOfBoundsFromItsFourBytesAlone(int length) {
        ByteBuffer in = ByteBuffer.allocate(4).putInt(0, length);

        assertThat(GuestProtocol.decodeGuest(in)).isInstanceOf(Decoded.Malformed.class);
        assertThat(GuestProtocol.decodeHost(in)).isInstanceOf(Decoded.Malformed.class);
    }

    @Test
    void acceptsTheLargestFrame() {
        byte[] data = new byte[GuestProtocol.FRAME_LENGTH_MAX - GuestProtocol.FRAME_LENGTH_MIN];
        ByteBuffer frame = GuestProtocol.encode(new HostMessage.Input(new ExecId(1), data));

        assertThat(frame.remaining()).isEqualTo(GuestProtocol.FRAME_BYTES_MAX);
        assertThat(GuestProtocol.decodeHost(frame)).isInstanceOf(Decoded.Message.class);
    }

    @Test
    void aListCountCannotReserveMemory() {
        ByteBuffer ready = ByteBuffer.allocate(13)
                .putInt(9)
                .put((byte) 0x82)
                .putInt(0)
                .putInt(-1)
                .flip();

        assertThat(GuestProtocol.decodeGuest(ready))
                .isEqualTo(new Decoded.Malformed<GuestMessage>("a list is longer than its frame"));
    }

    @Test
    void refusesAnOutputFrameOverItsLimit() {
        GuestMessage output = new GuestMessage.Output(
                new ExecId(1), OutputStreamName.STDOUT, new byte[GuestProtocol.DATA_BYTES_MAX + 1]);

        assertThat(GuestProtocol.decodeGuest(GuestProtocol.encode(output))).isInstanceOf(Decoded.Malformed.class);
    }

    @Test
    void doesNotEncodeWhatTheOtherSideWouldRefuse() {
        ExecId id = new ExecId(1);
        List<String> nul = List.of("a\0b");
        byte[] tooLong = new byte[GuestProtocol.FRAME_LENGTH_MAX];

        assertThatIllegalArgumentException()
                .isThrownBy(() -> GuestProtocol.encode(new HostMessage.Exec(id, 0, 0, 0, "", nul, List.of())));
        assertThatIllegalArgumentException().isThrownBy(() -> GuestProtocol.encode(new HostMessage.Input(id, tooLong)));
        assertThatIllegalArgumentException().isThrownBy(() -> GuestProtocol.encode(new HostMessage.Resize(id, -1, 80)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GuestProtocol.encode(new HostMessage.Resize(id, 25, 65_536)));
    }

    /// A frame whose length is right and whose type is often one of the guest's.
    private static ByteBuffer randomFrame(Random random) {
        int[] types = {0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x90, 0x91, 0x92};
        byte[] body = new byte[5 + random.nextInt(40)];
        random.nextBytes(body);
        if (random.nextInt(8) != 0) {
            body[0] = (byte) types[random.nextInt(types.length)];
        }
        if (random.nextBoolean()) {
            for (int i = 5; i < body.length; i++) {
                body[i] = (byte) random.nextInt(3);
            }
        }
        return ByteBuffer.allocate(4 + body.length)
                .putInt(body.length)
                .put(body)
                .flip();
    }
}
