package dev.capsem.exchange.http.body;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/// The first bytes of a body, as far as the record keeps them.
public final class Preview {
    public static final int BYTES_MAX = 4 * 1024;

    /// Conversations with models are what people come to read.
    public static final int MODEL_BYTES_MAX = 64 * 1024;

    private static final int FIRST_BYTES = 512;

    private final int bytesMax;
    private byte[] bytes = new byte[0];
    private int size;

    Preview(int bytesMax) {
        this.bytesMax = bytesMax;
    }

    boolean isFull() {
        return size == bytesMax;
    }

    /// Takes what still fits; the buffer's position stays.
    void add(ByteBuffer content) {
        int taken = Math.min(content.remaining(), bytesMax - size);
        if (taken == 0) {
            return;
        }
        if (size + taken > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.min(bytesMax, Math.max(FIRST_BYTES, (size + taken) * 2)));
        }
        content.get(content.position(), bytes, size, taken);
        size += taken;
    }

    /// Masked, with the places that are not UTF-8 marked as such.
    Optional<String> text(Optional<String> contentType, Redactor redactor) {
        return size == 0
                ? Optional.empty()
                : Optional.of(redactor.body(new String(bytes, 0, size, StandardCharsets.UTF_8), contentType));
    }
}
