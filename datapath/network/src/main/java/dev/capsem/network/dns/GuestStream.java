package dev.capsem.network.dns;

import dev.capsem.wire.Decoded;
import dev.capsem.wire.guest.Preamble;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.Arrays;
import java.util.Optional;

/// A guest's connection to port 5007: its preamble, then messages in DNS-over-TCP framing, through one bounded buffer.
final class GuestStream {
    /// Most connections carry one small query; a larger message makes it grow.
    private static final int BUFFER_BYTES = 1_024;

    private static final int BUFFER_BYTES_MAX = 2 + 65_535;

    private final ByteChannel channel;
    private ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES).flip();
    private boolean ended;

    GuestStream(ByteChannel channel) {
        this.channel = channel;
    }

    /// Empty when the guest broke the rules of the preamble.
    Optional<Preamble> preamble() throws IOException {
        while (true) {
            switch (Preamble.decode(buffer, ended)) {
                case Decoded.Message<Preamble>(Preamble preamble, int consumed) -> {
                    buffer.position(buffer.position() + consumed);
                    return Optional.of(preamble);
                }
                case Decoded.Malformed<Preamble> _ -> {
                    return Optional.empty();
                }
                case Decoded.NeedMore<Preamble> _ -> fill();
            }
        }
    }

    /// The next message; empty when the stream ended.
    Optional<byte[]> message() throws IOException {
        while (true) {
            if (buffer.remaining() >= 2) {
                int length = Short.toUnsignedInt(buffer.getShort(buffer.position()));
                if (buffer.remaining() >= 2 + length) {
                    byte[] message = new byte[length];
                    buffer.get(buffer.position() + 2, message);
                    buffer.position(buffer.position() + 2 + length);
                    return Optional.of(message);
                }
            }
            if (ended) {
                return Optional.empty();
            }
            fill();
        }
    }

    void write(byte[] message) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(2 + message.length)
                .putShort((short) message.length)
                .put(message)
                .flip();
        while (frame.hasRemaining()) {
            channel.write(frame);
        }
    }

    private void fill() throws IOException {
        if (buffer.remaining() == buffer.capacity()) {
            byte[] larger = Arrays.copyOf(remaining(), Math.min(BUFFER_BYTES_MAX, buffer.capacity() * 4));
            buffer = ByteBuffer.wrap(larger, 0, buffer.remaining());
        }
        buffer.compact();
        ended = channel.read(buffer) < 0;
        buffer.flip();
    }

    private byte[] remaining() {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(buffer.position(), bytes);
        return bytes;
    }
}
