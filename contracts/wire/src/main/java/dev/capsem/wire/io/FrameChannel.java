package dev.capsem.wire.io;

import dev.capsem.wire.Decoded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/// A blocking channel with a codec around it: whole messages in, whole frames out. One reader; any number of writers.
/// It never holds more undecoded bytes than one frame may have.
public final class FrameChannel<I> implements AutoCloseable {
    /// Also bounds the direct buffers that the JDK keeps for each thread that reads or writes.
    private static final int CHUNK_BYTES = 65_536;

    private static final int BUFFER_BYTES_INITIAL = 8_192;

    private final ByteChannel channel;
    private final Function<ByteBuffer, Decoded<I>> decoder;
    private final int frameBytesMax;
    /// Guards the order of bytes on the channel: a frame is written whole.
    private final ReentrantLock writing = new ReentrantLock();

    private ByteBuffer received = ByteBuffer.allocate(BUFFER_BYTES_INITIAL).flip();

    public FrameChannel(ByteChannel channel, Function<ByteBuffer, Decoded<I>> decoder, int frameBytesMax) {
        this.channel = channel;
        this.decoder = decoder;
        this.frameBytesMax = frameBytesMax;
    }

    public ByteChannel channel() {
        return channel;
    }

    /// The next message, or empty when the other side ended the stream between two frames.
    /// Throws [MalformedFrameException] when the bytes break the protocol.
    public Optional<I> receive() throws IOException {
        while (true) {
            switch (decoder.apply(received)) {
                case Decoded.Message<I>(I value, int consumed) -> {
                    received.position(received.position() + consumed);
                    return Optional.of(value);
                }
                case Decoded.Malformed<I>(String reason) -> throw new MalformedFrameException(reason);
                case Decoded.NeedMore<I>() -> {
                    if (!readMore()) {
                        return endOfStream();
                    }
                }
            }
        }
    }

    public void send(ByteBuffer frame) throws IOException {
        writing.lock();
        try {
            while (frame.hasRemaining()) {
                ByteBuffer chunk = frame.slice(frame.position(), Math.min(frame.remaining(), CHUNK_BYTES));
                frame.position(frame.position() + channel.write(chunk));
            }
        } finally {
            writing.unlock();
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private Optional<I> endOfStream() throws MalformedFrameException {
        if (received.hasRemaining()) {
            throw new MalformedFrameException("the stream ended inside a frame");
        }
        return Optional.empty();
    }

    private boolean readMore() throws IOException {
        if (!received.hasRemaining() && received.capacity() > CHUNK_BYTES) {
            received = ByteBuffer.allocate(BUFFER_BYTES_INITIAL).flip();
        }
        received.compact();
        if (!received.hasRemaining()) {
            received = grown(received);
        }
        ByteBuffer chunk = received.slice(received.position(), Math.min(received.remaining(), CHUNK_BYTES));
        int count = channel.read(chunk);
        received.position(received.position() + Math.max(count, 0)).flip();
        return count >= 0;
    }

    private ByteBuffer grown(ByteBuffer full) {
        if (full.capacity() >= frameBytesMax) {
            throw new IllegalStateException("a codec asked for more than its largest frame");
        }
        int capacity = Math.min(frameBytesMax, full.capacity() * 2);
        return ByteBuffer.allocate(capacity).put(full.flip());
    }
}
