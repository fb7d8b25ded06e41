package dev.capsem.events.address;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.Locale;

/// Makes paths that every server must treat alike look alike (RFC 3986 §6.2.2), so that a rule cannot be dodged
/// by spelling.
public final class UrlPaths {
    private UrlPaths() {}

    public static String normalize(String path) {
        if (path.indexOf('%') < 0 && path.indexOf("/.") < 0) {
            return path;
        }
        return withoutDotSegments(decodeUnreserved(path));
    }

    public static String decodeUnreserved(String path) {
        if (path.indexOf('%') < 0) {
            return path;
        }
        StringBuilder out = new StringBuilder(path.length());
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (!isEscape(path, i, '%')) {
                out.append(c);
                continue;
            }
            String hex = path.substring(i + 1, i + 3);
            int decoded = HexFormat.fromHexDigits(hex);
            if (isUnreserved(decoded)) {
                out.append((char) decoded);
            } else {
                out.append('%').append(hex.toUpperCase(Locale.ROOT));
            }
            i += 2;
        }
        return out.toString();
    }

    /// Whether two hexadecimal digits follow the character there.
    static boolean isEscape(String path, int at, char first) {
        return path.charAt(at) == first
                && at + 2 < path.length()
                && HexFormat.isHexDigit(path.charAt(at + 1))
                && HexFormat.isHexDigit(path.charAt(at + 2));
    }

    /// Requires: it starts with `/`.
    static String withoutDotSegments(String path) {
        if (path.indexOf("/.") < 0) {
            return path;
        }
        String[] segments = path.substring(1).split("/", -1);
        Deque<String> kept = new ArrayDeque<>();
        for (int i = 0; i < segments.length; i++) {
            String segment = segments[i];
            boolean last = i == segments.length - 1;
            if (segment.equals("..")) {
                kept.pollLast();
            } else if (!segment.equals(".")) {
                kept.addLast(segment);
                continue;
            }
            if (last) {
                kept.addLast("");
            }
        }
        return "/" + String.join("/", kept);
    }

    private static boolean isUnreserved(int c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '-'
                || c == '.'
                || c == '_'
                || c == '~';
    }
}
