package dev.capsem.security.rule;

import java.util.List;
import java.util.Map;

/// A rule file as text, wherever it came from.
///
/// @param name shown in messages: a file name, or who made it
/// @param lists what `list("name")` gives, by the name of the file
public record RuleSource(String name, Layer layer, String text, Map<String, List<String>> lists) {
    /// Far beyond any rule set that a person could keep in mind (about 30 000 rules).
    public static final int CHARS_MAX = 8 * 1024 * 1024;

    public RuleSource(String name, Layer layer, String text) {
        this(name, layer, text, Map.of());
    }

    public RuleSource {
        lists = Map.copyOf(lists);
        if (name.isBlank()) {
            throw new IllegalArgumentException("a source has a name");
        }
    }

    @Override
    public String toString() {
        return "RuleSource[" + name + "]";
    }
}
