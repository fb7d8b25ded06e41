package dev.capsem.exchange.http.body;

import dev.capsem.events.security.Headers;
import java.nio.ByteBuffer;

/// A piece of a body that a secret was taken out of.
///
/// @param trailers behind the last piece
public record ScrubbedBytes(byte[] bytes, boolean isLast, Headers trailers) implements Chunk {
    public ByteBuffer content() {
        return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
    }

    @Override
    public int size() {
        return bytes.length;
    }

    @Override
    public void release() {}
}
