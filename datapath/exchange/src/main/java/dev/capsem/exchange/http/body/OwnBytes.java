package dev.capsem.exchange.http.body;

import java.nio.ByteBuffer;

/// A whole body that no peer sent: a rule put it in place of theirs.
public final class OwnBytes implements Chunk {
    /// The end of a body, and nothing else.
    static final OwnBytes END = new OwnBytes(new byte[0]);

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
