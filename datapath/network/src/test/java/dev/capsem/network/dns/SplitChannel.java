package dev.capsem.network.dns;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.Random;

/// A guest's side of a connection: what it sends arrives in random pieces, what it gets is kept.
final class SplitChannel implements ByteChannel {
    private final ByteBuffer incoming;
    private final Random random;
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    SplitChannel(byte[] incoming, Random random) {
        this.incoming = ByteBuffer.wrap(incoming);
        this.random = random;
    }

    @Override
    public int read(ByteBuffer target) {
        if (!incoming.hasRemaining()) {
            return -1;
        }
        int count = Math.min(1 + random.nextInt(incoming.remaining()), target.remaining());
        target.put(incoming.slice(incoming.position(), count));
        incoming.position(incoming.position() + count);
        return count;
    }

    @Override
    public int write(ByteBuffer source) {
        int count = Math.min(source.remaining(), 1 + random.nextInt(64));
        for (int i = 0; i < count; i++) {
            written.write(source.get());
        }
        return count;
    }

    byte[] written() {
        return written.toByteArray();
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {}
}
