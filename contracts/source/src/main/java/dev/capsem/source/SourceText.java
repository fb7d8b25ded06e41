package dev.capsem.source;

import java.util.List;
import java.util.Map;

/// The text of a source and who speaks in it. Lines of the text are lines of the file, so that whoever compiles
/// it can name places that a person finds.
///
/// @param file as shown to people; not necessarily a path
/// @param lists what `list("name")` gives to rules of this source, by the name of the file
public record SourceText(String file, Layer layer, String text, Map<String, List<String>> lists) {
    public SourceText(String file, Layer layer, String text) {
        this(file, layer, text, Map.of());
    }

    public SourceText {
        lists = Map.copyOf(lists);
        if (file.isBlank()) {
            throw new IllegalArgumentException("a source has a name");
        }
    }

    @Override
    public String toString() {
        return "SourceText[" + layer.wireName() + " " + file + "]";
    }
}
