package dev.capsem.broker;

/// The stand-in for a secret inside one sandbox: random, and of characters that need no escaping in a header, a URL or
/// JSON.
public record Placeholder(String text) {
    public static final int CHARS_MIN = 22;

    public Placeholder {
        boolean isPlain = text.chars()
                .allMatch(c -> (c >= 'a' && c <= 'z')
                        || (c >= 'A' && c <= 'Z')
                        || (c >= '0' && c <= '9')
                        || c == '-'
                        || c == '_'
                        || c == '.');
        if (!isPlain || text.length() < CHARS_MIN) {
            throw new IllegalArgumentException(
                    "a placeholder has at least " + CHARS_MIN + " letters, digits, . _ and -");
        }
    }

    /// It is no secret, but a reader of a log should not take it for one.
    @Override
    public String toString() {
        return "placeholder";
    }
}
