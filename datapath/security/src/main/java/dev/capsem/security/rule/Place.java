package dev.capsem.security.rule;

/// A place in a source.
///
/// @param line from 1
/// @param column from 1, in code points
public record Place(String source, int line, int column) {
    @Override
    public String toString() {
        return source + ":" + line + ":" + column;
    }
}
