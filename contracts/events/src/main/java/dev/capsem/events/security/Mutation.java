package dev.capsem.events.security;

/// One change that a rewrite made, in words a record can keep. The changed event itself is in the outcome; a
/// mutation never holds the values, old or new.
public sealed interface Mutation {
    /// The rule path of what changed, such as `http.request.path`.
    String path();

    /// All lines of that name were taken out (there may have been none).
    record HeaderStripped(String path, String name) implements Mutation {}

    /// The text at that path was replaced wherever the rule's pattern matched.
    record TextReplaced(String path) implements Mutation {}
}
