package dev.capsem.sandbox.workspace.tree;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// A file name as the least particular of file systems reads it: some do not tell cases apart, some pass over
/// characters that nobody sees, some over dots and spaces at the end. Pure.
public final class FoldedName {
    private FoldedName() {}

    public static String of(Path name) {
        // By its bytes: in a locale that is not UTF-8 the JDK's text has lost them.
        String text = new String(PathText.bytes(name), StandardCharsets.UTF_8);
        return isPlain(text) ? text.toLowerCase(Locale.ROOT) : folded(text);
    }

    /// Every name of a path.
    public static List<String> all(Path path) {
        var names = new ArrayList<String>(path.getNameCount());
        path.forEach(name -> names.add(of(name)));
        return names;
    }

    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c <= ' ' || c >= 0x7f || c == ':') {
                return false;
            }
        }
        return !text.endsWith(".");
    }

    private static String folded(String text) {
        var seen = new StringBuilder();
        Normalizer.normalize(text, Normalizer.Form.NFD)
                .codePoints()
                .filter(c -> !isUnseen(c))
                .forEach(seen::appendCodePoint);
        // Both ways, since some letters have one capital.
        String folded = seen.toString().toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT);
        int stream = folded.indexOf(':');
        String name = stream > 0 ? folded.substring(0, stream) : folded;
        String trimmed = name.replaceFirst("[. ]+$", "");
        return trimmed.isEmpty() ? name : trimmed;
    }

    /// Unicode's "default ignorable", as file systems that fold cases take it.
    private static boolean isUnseen(int c) {
        return Character.getType(c) == Character.FORMAT
                || Character.isISOControl(c)
                || c == 0x34f
                || c == 0x115f
                || c == 0x1160
                || c == 0x17b4
                || c == 0x17b5
                || (c >= 0x180b && c <= 0x180f)
                || c == 0x3164
                || (c >= 0xfe00 && c <= 0xfe0f)
                || c == 0xffa0
                || (c >= 0xe0000 && c <= 0xe0fff);
    }
}
