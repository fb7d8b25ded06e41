package dev.capsem.source.json;

import dev.capsem.source.LineIndex;
import java.util.List;

/// A text, the value read from it, and the member names that occurred twice in one object.
public record ParsedJson(String text, JsonValue root, List<Duplicate> duplicates) {
    /// The second occurrence of a member name; RFC 8259 leaves its meaning open, so a manifest may not use it.
    public record Duplicate(String name, String pointer, int offset) {}

    public ParsedJson {
        duplicates = List.copyOf(duplicates);
    }

    /// The start of every line, for looking up many places in one text.
    public LineIndex lines() {
        return new LineIndex(text);
    }
}
