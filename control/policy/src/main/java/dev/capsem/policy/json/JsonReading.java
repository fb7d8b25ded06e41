package dev.capsem.policy.json;

/// What came of reading a text as JSON.
public sealed interface JsonReading {
    record Parsed(JsonDocument document) implements JsonReading {}

    record Malformed(String reason, int line, int column) implements JsonReading {}
}
