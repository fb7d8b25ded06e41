package dev.capsem.backends.builtin;

import java.nio.charset.StandardCharsets;

/// A window on a long text. Offsets are bytes of UTF-8, moved back to the beginning of a character.
///
/// @param end where the next window begins
record Paging(String chunk, int start, int end, int size) {
    static Paging of(String text, long startIndex, long maxLength) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int start = floor(bytes, startIndex);
        int end = floor(bytes, Math.min(startIndex + Math.max(0, maxLength), bytes.length));
        if (end <= start && start < bytes.length) {
            end = Math.min(bytes.length, start + 4);
            end = floor(bytes, end);
        }
        int until = Math.max(start, end);
        return new Paging(new String(bytes, start, until - start, StandardCharsets.UTF_8), start, until, bytes.length);
    }

    boolean isPart() {
        return start > 0 || end < size;
    }

    int remaining() {
        return size - end;
    }

    /// The part, and if it is not all, where it is from.
    String headed() {
        if (!isPart()) {
            return chunk;
        }
        return "Content length: " + size + "\nShowing: " + start + ".." + end + "\n"
                + (remaining() > 0 ? "Use start_index=" + end + " to continue.\n" : "") + "\n" + chunk;
    }

    private static int floor(byte[] bytes, long index) {
        int at = (int) Math.max(0, Math.min(index, bytes.length));
        while (at > 0 && at < bytes.length && (bytes[at] & 0xC0) == 0x80) {
            at--;
        }
        return at;
    }
}
