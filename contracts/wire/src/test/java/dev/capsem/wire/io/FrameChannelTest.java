package dev.capsem.wire.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.guest.ExecId;
import dev.capsem.wire.guest.GuestProtocol;
import dev.capsem.wire.guest.HostMessage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class FrameChannelTest {
    /// Gives its bytes in random pieces, as a socket may.
    private record Pieces(ByteBuffer bytes, Random random) implements ByteChannel {
        @Override
        public int read(ByteBuffer target) {
            if (!bytes.hasRemaining()) {
                return -1;
            }
            int count = Math.min(1 + random.nextInt(40_000), Math.min(bytes.remaining(), target.remaining()));
            target.put(bytes.slice(bytes.position(), count));
            bytes.position(bytes.position() + count);
            return count;
        }

        @Override
        public int write(ByteBuffer source) {
            throw new IllegalStateException("nothing is written here");
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    @Test
    void anySplitGivesTheSameMessages() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int[] sizes = {0, 1, 5_000, 65_536, 2_000_000, 3, 70_000};
        ByteBuffer stream = ByteBuffer.allocate(3_000_000);
        for (int size : sizes) {
            stream.put(GuestProtocol.encode(new HostMessage.Input(new ExecId(size), new byte[size])));
        }

        try (FrameChannel<HostMessage> channel = new FrameChannel<>(
                new Pieces(stream.flip(), random), GuestProtocol::decodeHost, GuestProtocol.FRAME_BYTES_MAX)) {
            for (int size : sizes) {
                assertThat(channel.receive().orElseThrow())
                        .as("seed %d", seed)
                        .isInstanceOfSatisfying(HostMessage.Input.class, input -> {
                            assertThat(input.id().value()).isEqualTo(size);
                            assertThat(input.data()).hasSize(size);
                        });
            }
            assertThat(channel.receive()).as("seed %d", seed).isEmpty();
        }
    }
}
