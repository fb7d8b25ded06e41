package dev.capsem.cli.screen;

/// Text from a guest, made harmless for a terminal: control characters would move the cursor, change colours or title,
/// and letters that nobody sees (marks of direction, blanks without width, separators of lines, tags, fillers) would
/// show a line other than it is. Marks that pile up on a letter would cover the lines around it.
public final class Printable {
    /// More than any language puts on one letter.
    private static final int MARKS_MAX = 4;

    private static final String BLANKS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0";

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
        var safe = new StringBuilder(text.length() + 16);
        int marks = 0;
        for (int at = 0; at < text.length(); at += Character.charCount(text.codePointAt(at))) {
            int letter = text.codePointAt(at);
            marks = isMark(letter) ? marks + 1 : 0;
            if (!(isUnsafe(letter) || marks > MARKS_MAX) || (keepLayout && (letter == '\n' || letter == '\t'))) {
                safe.appendCodePoint(letter);
            } else if (letter == '\n') {
                safe.append("\\n");
            } else if (letter == '\t') {
                safe.append("\\t");
            } else {
                safe.append(letter < 0x100 ? "\\x%02x".formatted(letter) : "\\u%04x".formatted(letter));
            }
        }
        return safe.toString();
    }

    private static boolean isUnsafe(int letter) {
        return switch (Character.getType(letter)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.UNASSIGNED -> true;
            default -> isBlank(letter);
        };
    }

    /// Letters and marks by their kind, which no terminal draws: fillers, joiners, an empty pattern, selectors.
    private static boolean isBlank(int letter) {
        return BLANKS.indexOf(letter) >= 0
                || (letter >= 0x180b && letter <= 0x180f)
                || (letter >= 0xfe00 && letter <= 0xfe0f)
                || (letter >= 0xe0100 && letter <= 0xe01ef);
    }

    /// Drawn over the letter before it, without end.
    private static boolean isMark(int letter) {
        int type = Character.getType(letter);
        return type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK;
    }
}
