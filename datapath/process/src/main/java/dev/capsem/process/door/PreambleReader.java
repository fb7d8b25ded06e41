package dev.capsem.process.door;

import dev.capsem.wire.Decoded;
import dev.capsem.wire.guest.Preamble;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.Optional;

/// The beginning of a guest's connection: its preamble, through one bounded buffer.
final class PreambleReader {
    private static final int BUFFER_BYTES = Preamble.LINES_MAX * Preamble.LINE_BYTES_MAX;

    private final ByteChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES).flip();
    private boolean ended;

    PreambleReader(ByteChannel channel) {
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

    private void fill() throws IOException {
        buffer.compact();
        ended = channel.read(buffer) < 0;
        buffer.flip();
    }
}
