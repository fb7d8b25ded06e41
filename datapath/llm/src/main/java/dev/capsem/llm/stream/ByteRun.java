package dev.capsem.llm.stream;

import java.util.Arrays;

/// Bytes kept from one chunk to the next, up to a limit.
final class ByteRun {
    private static final int FIRST_SIZE = 1024;

    private final int limit;
    private byte[] bytes = {};
    private int length;

    ByteRun(int limit) {
        this.limit = limit;
    }

    /// @return whether they fit; if not, nothing was added
    boolean add(byte[] buffer, int from, int to) {
        int more = to - from;
        if (more > limit - length) {
            return false;
        }
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.min(limit, Math.max(FIRST_SIZE, Math.max(length + more, length * 2))));
        }
        System.arraycopy(buffer, from, bytes, length, more);
        length += more;
        return true;
    }

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    boolean isEmpty() {
        return length == 0;
    }

    /// Forgets the content; a large store as well, which one long event should not leave behind.
    void clear() {
        length = 0;
        if (bytes.length > 64 * FIRST_SIZE) {
            bytes = new byte[FIRST_SIZE];
        }
    }
}
