package dev.capsem.llm;

import java.util.Optional;
import java.util.function.UnaryOperator;

/// Text as it is kept in the record: masked, then cut.
///
/// @param mask hides what looks like a secret; JSON stays JSON
record Previews(UnaryOperator<String> mask) {
    /// In UTF-8, for everything that belongs to model traffic.
    static final int BYTES_MAX = 64 * 1024;

    /// Masked beyond the limit, so that a secret which the cut goes through is whole when it is looked for.
    private static final int MARGIN_BYTES = 4 * 1024;

    String of(String text) {
        return cut(mask.apply(cut(text, BYTES_MAX + MARGIN_BYTES)), BYTES_MAX);
    }

    /// Empty text is none.
    Optional<String> ofText(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(of(text));
    }

    /// JSON that is cut is not JSON: all of it, or none.
    Optional<String> ofJson(String json) {
        return cut(json, BYTES_MAX).length() == json.length() ? Optional.of(of(json)) : Optional.empty();
    }

    private static String cut(String text, int bytesMax) {
        if (text.length() <= bytesMax / 3) {
            return text;
        }
        int bytes = 0;
        for (int i = 0; i < text.length(); ) {
            int point = text.codePointAt(i);
            bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
            if (bytes > bytesMax) {
                return text.substring(0, i);
            }
            i += Character.charCount(point);
        }
        return text;
    }
}
