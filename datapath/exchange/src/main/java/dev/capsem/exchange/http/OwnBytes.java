package dev.capsem.exchange.http;

import java.nio.ByteBuffer;

/// A whole body that no peer sent: a rule put it in place of theirs.
public final class OwnBytes implements Chunk {
    private final byte[] bytes;

    OwnBytes(byte[] bytes) {
        this.bytes = bytes;
    }

    public ByteBuffer content() {
        return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
    }

    @Override
    public int size() {
        return bytes.length;
    }

    @Override
    public boolean isLast() {
        return true;
    }

    @Override
    public void release() {}
}
