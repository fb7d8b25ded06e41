package dev.capsem.sandbox.workspace.tree;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;

/// Paths as text and bytes without loss: a file name is any bytes, a [String] is not.
public final class PathText {
    private PathText() {}

    /// Percent-encoded, one line, no spaces; [#parse] gives an equal path.
    public static String of(Path relative) {
        String text = relative.toString();
        return isPlain(text) ? text : encoded(relative);
    }

    public static Path parse(String text) {
        if (text.indexOf('%') < 0) {
            return Path.of(text);
        }
        return Path.of("/").relativize(Path.of(URI.create("file:///" + text)));
    }

    public static byte[] bytes(Path name) {
        String text = of(name);
        if (text.indexOf('%') < 0) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        var bytes = new ByteArrayOutputStream(text.length());
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '%') {
                bytes.write(HexFormat.fromHexDigits(text, i + 1, i + 3));
                i += 2;
            } else {
                bytes.write(text.charAt(i));
            }
        }
        return bytes.toByteArray();
    }

    private static String encoded(Path relative) {
        // The JDK's URI of a path escapes its raw bytes, whatever the locale; "/" keeps the working directory out
        // of it.
        String raw = Path.of("/").resolve(relative).toUri().getRawPath();
        return raw.substring(1, raw.endsWith("/") ? raw.length() - 1 : raw.length());
    }

    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean plain = (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || "/._-+@".indexOf(c) >= 0;
            if (!plain) {
                return false;
            }
        }
        return true;
    }
}
