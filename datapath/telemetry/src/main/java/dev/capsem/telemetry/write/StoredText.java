package dev.capsem.telemetry.write;

import java.nio.charset.StandardCharsets;

/// The stored part of a text.
final class StoredText {
    /// The most bytes of UTF-8 one field keeps. The rest is cut off; sizes are in columns of their own.
    static final int BYTES_MAX = 256 * 1024;

    /// A `char` takes at most three bytes (a pair of surrogates four).
    private static final int BYTES_PER_CHAR_MAX = 3;

    private StoredText() {}

    /// The longest beginning of the text that fits, cut between two characters.
    static String capped(String text) {
        if (text.length() <= BYTES_MAX / BYTES_PER_CHAR_MAX) {
            return text;
        }
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        if (utf8.length <= BYTES_MAX) {
            return text;
        }
        int end = BYTES_MAX;
        while (isContinuation(utf8[end])) {
            end--;
        }
        return new String(utf8, 0, end, StandardCharsets.UTF_8);
    }

    private static boolean isContinuation(byte octet) {
        return (octet & 0xC0) == 0x80;
    }
}
