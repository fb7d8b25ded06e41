package dev.capsem.policy.json;

import java.util.List;

/// A text, the value read from it, and the member names that occurred twice in one object.
public record JsonDocument(String text, Json root, List<Duplicate> duplicates) {
    /// The second occurrence of a member name; RFC 8259 leaves its meaning open, so a manifest may not use it.
    public record Duplicate(String name, String pointer, int offset) {}

    /// One-based; columns count UTF-16 code units, as SARIF and editors do.
    public record Place(int line, int column) {}

    public JsonDocument {
        duplicates = List.copyOf(duplicates);
    }

    /// The start of every line, for looking up many places in one text.
    public LineIndex lines() {
        return new LineIndex(text);
    }
}
