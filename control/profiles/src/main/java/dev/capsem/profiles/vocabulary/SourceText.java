package dev.capsem.profiles.vocabulary;

import java.util.List;
import java.util.Map;

/// The text of a source and who speaks in it. Lines of the text are lines of the file, so that whoever compiles
/// it can name places that a person finds.
///
/// @param file as shown to people
/// @param lists that stand beside the file, by name: those that its rules ask for
public record SourceText(Layer layer, String file, String text, Map<String, List<String>> lists) {
    /// The largest file we read; far beyond any profile that a person could keep in mind.
    public static final int CHARS_MAX = 1024 * 1024;

    public SourceText(Layer layer, String file, String text) {
        this(layer, file, text, Map.of());
    }

    public SourceText {
        lists = Map.copyOf(lists);
    }

    @Override
    public String toString() {
        return "SourceText[" + layer.wireName() + " " + file + "]";
    }
}
