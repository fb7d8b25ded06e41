package dev.capsem.process.door;

import dev.capsem.wire.Decoded;
import dev.capsem.wire.guest.Preamble;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.Optional;

/// The beginning of a guest's connection: its preamble, then whatever the stream carries, through one bounded buffer.
final class Received {
    /// Holds both lines of the preamble, or one DNS message with its length.
    private static final int BUFFER_BYTES = 2 + 65_535;

    private final ByteChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES).flip();
    private boolean ended;

    Received(ByteChannel channel) {
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
                case Decoded.Malformed<Preamble>(String reason) -> {
                    return Optional.empty();
                }
                case Decoded.NeedMore<Preamble>() -> fill();
            }
        }
    }

    /// The next message in DNS-over-TCP framing, or empty when the stream ended.
    Optional<byte[]> dnsMessage() throws IOException {
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

    private void fill() throws IOException {
        buffer.compact();
        ended = channel.read(buffer) < 0;
        buffer.flip();
    }
}
