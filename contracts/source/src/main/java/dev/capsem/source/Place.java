package dev.capsem.source;

/// A place in a source.
///
/// @param file as shown to people; not necessarily a path
/// @param line from 1
/// @param column from 1
public record Place(String file, int line, int column) {
    public static Place start(String file) {
        return new Place(file, 1, 1);
    }

    public static Place at(String file, Position position) {
        return new Place(file, position.line(), position.column());
    }

    @Override
    public String toString() {
        return file + ":" + line + ":" + column;
    }
}
