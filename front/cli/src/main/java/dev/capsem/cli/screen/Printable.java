package dev.capsem.cli.screen;

/// Text from a guest, made harmless for a terminal: control characters would move the cursor, change colours or title,
/// and letters that nobody sees (marks of direction, blanks without width, separators of lines) would show a line other
/// than it is.
public final class Printable {
    private Printable() {}

    /// For one cell or line: line feeds and tabs are shown too.
    public static String line(String text) {
        return escaped(text, false);
    }

    /// For several lines: line feeds and tabs stay.
    public static String text(String text) {
        return escaped(text, true);
    }

    private static String escaped(String text, boolean keepLayout) {
        if (text.chars().noneMatch(Printable::isUnsafe)) {
            return text;
        }
        var safe = new StringBuilder(text.length() + 16);
        text.chars().forEach(c -> {
            if (!isUnsafe(c) || (keepLayout && (c == '\n' || c == '\t'))) {
                safe.append((char) c);
            } else if (c == '\n') {
                safe.append("\\n");
            } else if (c == '\t') {
                safe.append("\\t");
            } else {
                safe.append(c < 0x100 ? "\\x%02x".formatted(c) : "\\u%04x".formatted(c));
            }
        });
        return safe.toString();
    }

    private static boolean isUnsafe(int c) {
        boolean control = c < 0x20 || (c >= 0x7f && c < 0xa0);
        int type = Character.getType(c);
        boolean unseen =
                type == Character.FORMAT || type == Character.LINE_SEPARATOR || type == Character.PARAGRAPH_SEPARATOR;
        return control || unseen;
    }
}
