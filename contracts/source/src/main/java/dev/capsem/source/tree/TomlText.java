package dev.capsem.source.tree;

import dev.capsem.source.LineIndex;
import dev.capsem.source.Place;
import dev.capsem.source.Position;
import dev.capsem.source.Problems;
import dev.capsem.source.SourceText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.tomlj.Toml;
import org.tomlj.TomlParseOptions;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/// A TOML text: parses it, and finds the place of a character of a string in it, through quotes and escapes.
public final class TomlText {
    private final String file;
    private final String text;
    private final LineIndex lines;

    public TomlText(SourceText source) {
        this.file = source.file();
        this.text = source.text();
        this.lines = new LineIndex(source.text());
    }

    /// Empty if the text is not TOML, which is then among the problems. Never throws.
    public Optional<TomlTable> parse(int charsMax, Problems problems) {
        if (text.length() > charsMax) {
            problems.error(start(), "the source is larger than " + charsMax + " characters.");
            return Optional.empty();
        }
        try {
            TomlParseResult result = Toml.parse(text, TomlParseOptions.sourceless());
            result.errors()
                    .forEach(error -> problems.error(
                            place(error.position()),
                            "not TOML: " + String.valueOf(error.getMessage()).replaceAll("\\s+", " ") + "."));
            return result.hasErrors() ? Optional.empty() : Optional.of(result);
        } catch (StackOverflowError tooDeep) {
            // The parser recurses without a limit of its own.
            problems.error(start(), "not TOML: it is nested too deeply.");
        } catch (RuntimeException unforeseen) {
            problems.error(start(), "not TOML: " + unforeseen.getClass().getSimpleName() + ".");
        }
        return Optional.empty();
    }

    public Place place(TomlPosition position) {
        return new Place(file, position.line(), position.column());
    }

    public Place start() {
        return Place.start(file);
    }

    /// The place of the given code point of the string that belongs to the key at that position. If the value
    /// cannot be followed, the key's own place.
    public Place inString(TomlPosition key, int codePoint) {
        List<Integer> offsets = decodedOffsets(valueStart(offset(key)));
        if (offsets.isEmpty()) {
            return place(key);
        }
        return place(offsets.get(Math.min(codePoint, offsets.size() - 1)));
    }

    /// Columns count code points, as those of conditions do.
    private Place place(int offset) {
        Position found = lines.position(offset);
        int lineStart = offset - found.column() + 1;
        return new Place(file, found.line(), text.codePointCount(lineStart, offset) + 1);
    }

    private int offset(TomlPosition position) {
        return lines.offset(new Position(position.line(), position.column()));
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
