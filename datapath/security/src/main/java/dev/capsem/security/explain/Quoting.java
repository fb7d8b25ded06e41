package dev.capsem.security.explain;

/// Text as literals.
final class Quoting {
    private Quoting() {}

    /// A CEL string.
    static String cel(String text) {
        return escaped(text);
    }

    /// A TOML string: as it stands, between single quotes, where it may be.
    static String toml(String text) {
        boolean plain = text.chars().allMatch(c -> c >= ' ' && c != '\'' && c != 127);
        return plain ? "'" + text + "'" : escaped(text);
    }

    /// CEL and TOML agree on these escapes.
    private static String escaped(String text) {
        StringBuilder out = new StringBuilder("\"");
        text.codePoints().forEach(c -> {
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < ' ' || c == 127) {
                        out.append(String.format("\\u%04x", c));
                    } else {
                        out.appendCodePoint(c);
                    }
                }
            }
        });
        return out.append('"').toString();
    }
}
