package dev.capsem.source.json;

/// The result of reading a text as JSON.
public sealed interface JsonReading {
    record Parsed(ParsedJson document) implements JsonReading {}

    record Malformed(String reason, int line, int column) implements JsonReading {}
}
