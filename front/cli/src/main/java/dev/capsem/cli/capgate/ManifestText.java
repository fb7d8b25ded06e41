package dev.capsem.cli.capgate;

/// Text of a manifest, made safe to show: a hostile name must not drive a terminal, add lines to a report or close the
/// code span it is quoted in.
final class ManifestText {
    /// Enough for any honest path or name.
    private static final int LENGTH_MAX = 500;

    private ManifestText() {}

    static String of(String text) {
        StringBuilder safe = new StringBuilder();
        int[] points = text.codePoints().limit(LENGTH_MAX).toArray();
        for (int point : points) {
            switch (Character.getType(point)) {
                case Character.CONTROL,
                        Character.FORMAT,
                        Character.SURROGATE,
                        Character.PRIVATE_USE,
                        Character.LINE_SEPARATOR,
                        Character.PARAGRAPH_SEPARATOR -> safe.append(String.format("\\u{%x}", point));
                default -> safe.appendCodePoint(point == '`' ? '\'' : point);
            }
        }
        return points.length == LENGTH_MAX ? safe.append('…').toString() : safe.toString();
    }
}
