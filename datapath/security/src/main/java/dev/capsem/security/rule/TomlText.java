package dev.capsem.security.rule;

import java.util.ArrayList;
import java.util.List;
import org.tomlj.TomlPosition;

/// Finds the place of a character of a TOML string in the file, through quotes and escapes.
final class TomlText {
    private final String source;
    private final String text;
    private final List<Integer> lineStarts = new ArrayList<>();

    TomlText(String source, String text) {
        this.source = source;
        this.text = text;
        lineStarts.add(0);
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '\n') {
                lineStarts.add(i + 1);
            }
        }
    }

    Place place(TomlPosition position) {
        return new Place(source, position.line(), position.column());
    }

    Place start() {
        return new Place(source, 1, 1);
    }

    /// The place of the given code point of the string that belongs to the key at that position. If the value
    /// cannot be followed, the key's own place.
    Place inString(TomlPosition key, int codePoint) {
        List<Integer> offsets = decodedOffsets(valueStart(offset(key)));
        if (offsets.isEmpty()) {
            return place(key);
        }
        return place(offsets.get(Math.min(codePoint, offsets.size() - 1)));
    }

    private Place place(int offset) {
        int line = 0;
        int low = 0;
        int high = lineStarts.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (lineStarts.get(middle) <= offset) {
                line = middle;
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return new Place(source, line + 1, text.codePointCount(lineStarts.get(line), offset) + 1);
    }

    private int offset(TomlPosition position) {
        int line = Math.min(position.line(), lineStarts.size()) - 1;
        return Math.min(text.length(), lineStarts.get(Math.max(0, line)) + position.column() - 1);
    }

    /// Behind the `=` that follows the key, or the value itself if the position is the value's.
    private int valueStart(int from) {
        int at = from;
        char quote = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (quote != 0) {
                quote = c == quote ? 0 : quote;
            } else if (c == '\n') {
                return from;
            } else if (c == '=') {
                at++;
                while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
                    at++;
                }
                return at;
            } else if (c == '"' || c == '\'') {
                quote = c;
            }
            at++;
        }
        return from;
    }

    /// For each code point of the string that starts there, its offset; and one more for the end. Empty if
    /// none starts.
    private List<Integer> decodedOffsets(int start) {
        List<Integer> offsets = new ArrayList<>();
        if (start >= text.length() || (text.charAt(start) != '"' && text.charAt(start) != '\'')) {
            return offsets;
        }
        char quote = text.charAt(start);
        boolean isLong = text.startsWith(String.valueOf(quote).repeat(3), start);
        String end = String.valueOf(quote).repeat(isLong ? 3 : 1);
        int at = start + end.length();
        if (isLong && text.startsWith("\r\n", at)) {
            at += 2;
        } else if (isLong && text.startsWith("\n", at)) {
            at++;
        }
        while (at < text.length() && !text.startsWith(end, at)) {
            if (quote == '"' && text.charAt(at) == '\\') {
                int next = escapeEnd(at);
                if (!isLineContinuation(at)) {
                    offsets.add(at);
                }
                at = next;
                continue;
            }
            offsets.add(at);
            at += Character.charCount(text.codePointAt(at));
        }
        offsets.add(at);
        return offsets;
    }

    private boolean isLineContinuation(int backslash) {
        int at = backslash + 1;
        while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t' || text.charAt(at) == '\r')) {
            at++;
        }
        return at < text.length() && text.charAt(at) == '\n';
    }

    private int escapeEnd(int backslash) {
        if (isLineContinuation(backslash)) {
            int at = backslash + 1;
            while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
                at++;
            }
            return at;
        }
        char kind = backslash + 1 < text.length() ? text.charAt(backslash + 1) : ' ';
        int length = kind == 'u' ? 6 : kind == 'U' ? 10 : kind == 'x' ? 4 : 2;
        return Math.min(text.length(), backslash + length);
    }
}
