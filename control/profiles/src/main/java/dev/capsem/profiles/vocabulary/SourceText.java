package dev.capsem.profiles.vocabulary;

/// The text of a source and who speaks in it. Lines of the text are lines of the file, so that whoever compiles
/// it can name places that a person finds.
///
/// @param file as shown to people
public record SourceText(Layer layer, String file, String text) {
    /// The largest file we read; far beyond any profile that a person could keep in mind.
    public static final int CHARS_MAX = 1024 * 1024;

    @Override
    public String toString() {
        return "SourceText[" + layer.wireName() + " " + file + "]";
    }
}
