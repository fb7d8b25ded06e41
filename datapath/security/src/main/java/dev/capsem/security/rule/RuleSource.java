package dev.capsem.security.rule;

/// A rule file as text, wherever it came from.
///
/// @param name shown in messages: a file name, or who made it
public record RuleSource(String name, Layer layer, String text) {
    /// Far beyond any rule set that a person could keep in mind (about 30 000 rules).
    public static final int CHARS_MAX = 8 * 1024 * 1024;

    public RuleSource {
        if (name.isBlank()) {
            throw new IllegalArgumentException("a source has a name");
        }
    }

    @Override
    public String toString() {
        return "RuleSource[" + name + "]";
    }
}
