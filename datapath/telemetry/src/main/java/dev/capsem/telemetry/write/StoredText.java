package dev.capsem.telemetry.write;

import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;

/// The stored part of a text: without what must not be on record, and no more than fits.
///
/// @param clean takes that out; answers the very text if there is nothing
record StoredText(UnaryOperator<String> clean) {
    /// The most bytes of UTF-8 one field keeps. The rest is cut off; sizes are in columns of their own.
    static final int BYTES_MAX = 256 * 1024;

    /// A `char` takes at most three bytes (a pair of surrogates four).
    private static final int BYTES_PER_CHAR_MAX = 3;

    String of(String text) {
        return capped(clean.apply(text));
    }

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
