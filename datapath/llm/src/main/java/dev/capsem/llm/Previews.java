package dev.capsem.llm;

import java.util.Optional;

/// Cuts text for the record.
final class Previews {
    /// In UTF-8, for everything that belongs to model traffic.
    static final int BYTES_MAX = 64 * 1024;

    private Previews() {}

    static String cut(String text) {
        if (text.length() <= BYTES_MAX / 3) {
            return text;
        }
        int bytes = 0;
        for (int i = 0; i < text.length(); ) {
            int point = text.codePointAt(i);
            bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
            if (bytes > BYTES_MAX) {
                return text.substring(0, i);
            }
            i += Character.charCount(point);
        }
        return text;
    }

    static Optional<String> ofText(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(cut(text));
    }

    /// JSON that is cut is not JSON: all of it, or none.
    static boolean fits(String text) {
        return cut(text).length() == text.length();
    }
}
