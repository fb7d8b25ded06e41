package dev.capsem.events.address;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/// A path and query as some server reads them. RFC 3986 leaves open what `%2f`, `//`, `;` and `\` mean, and servers
/// differ: one path is several, and a rule must hold for each.
///
/// @param path may hold what no request may, such as a decoded `?`
public record UrlReading(String path, Optional<String> query) {
    /// Nobody decodes more often than this.
    private static final int DECODINGS_MAX = 3;

    /// What ends a path where a program takes it for a text of C, parses it a second time, or takes all that follows
    /// the first `;` for parameters.
    private static final List<Character> ENDS = List.of('\0', '?', '#', ';');

    /// Escapes of what separates; all others mean the same to everybody.
    private static final Map<String, String> SEPARATORS = Map.of(
            "2F", "/", "5C", "\\", "3B", ";", "00", "\0", "3F", "?", "23", "#", "09", "\t", "0A", "\n", "0D", "\r");

    /// `/`, `.` and `\` in more bytes than UTF-8 allows, in full width, in letters that some take for them, or escaped
    /// as some Windows servers take it.
    private static final Map<Pattern, String> OTHER_ESCAPES = Map.of(
            escapes("%c0%af|%e0%80%af|%ef%bc%8f|%e2%88%95|%e2%81%84|%e2%a7%b8|%u002f|%u2215|%uff0f"), "/",
            escapes("%c0%ae|%e0%80%ae|%ef%bc%8e|%e2%80%a4|%ef%b9%92|%u002e|%uff0e"), ".",
            escapes("%e2%80%a5"), "..",
            escapes("%c1%9c|%e0%81%9c|%ef%bc%bc|%e2%88%96|%ef%b9%a8|%u005c|%uff3c"), "\\\\");

    /// Parsers of URLs leave these out.
    private static final Pattern LEFT_OUT = Pattern.compile("[\0\t\n\r]+");

    private static final Pattern SLASHES = Pattern.compile("/{2,}");
    private static final Pattern PARAMETERS = Pattern.compile(";[^/]*");

    /// What servers may make of it beside the usual reading; most paths have one reading only.
    ///
    /// @param path as sent
    public static List<UrlReading> others(String path, Optional<String> query) {
        if (isPlain(path)) {
            return List.of();
        }
        Set<UrlReading> readings = new LinkedHashSet<>();
        for (String decoded : decodings(path)) {
            for (UrlReading cut : cuts(decoded, query)) {
                for (String text : separated(cut.path)) {
                    walked(text).forEach(walked -> readings.add(new UrlReading(walked, cut.query)));
                }
            }
        }
        readings.remove(new UrlReading(UrlPaths.normalize(path), query));
        return List.copyOf(readings);
    }

    private static Pattern escapes(String alternatives) {
        return Pattern.compile(alternatives, Pattern.CASE_INSENSITIVE);
    }

    private static boolean isPlain(String path) {
        return path.indexOf('%') < 0
                && path.indexOf(';') < 0
                && path.indexOf('\\') < 0
                && path.indexOf("//") < 0
                && path.indexOf("/.") < 0;
    }

    private static Set<String> decodings(String path) {
        Set<String> decodings = new LinkedHashSet<>();
        decodings.add(UrlPaths.decodeUnreserved(path));
        String text = path;
        for (int i = 0; i < DECODINGS_MAX && text.indexOf('%') >= 0; i++) {
            text = decode(text);
            decodings.add(text);
        }
        return decodings;
    }

    private static String decode(String path) {
        String text = path;
        for (Map.Entry<Pattern, String> odd : OTHER_ESCAPES.entrySet()) {
            text = odd.getKey().matcher(text).replaceAll(odd.getValue());
        }
        String unreserved = UrlPaths.decodeUnreserved(text);
        StringBuilder out = new StringBuilder(unreserved.length());
        for (int i = 0; i < unreserved.length(); i++) {
            String escape = unreserved.startsWith("%", i) && i + 3 <= unreserved.length()
                    ? unreserved.substring(i + 1, i + 3).toUpperCase(Locale.ROOT)
                    : "";
            String separator = SEPARATORS.get(escape);
            if (separator != null) {
                out.append(separator);
                i += 2;
            } else if (escape.equals("25") && UrlPaths.isEscape(unreserved, i + 2, '5')) {
                // Escaped twice: what comes out now is decoded in the next round.
                out.append('%');
                i += 2;
            } else {
                out.append(unreserved.charAt(i));
            }
        }
        return out.toString();
    }

    private static List<UrlReading> cuts(String path, Optional<String> query) {
        List<UrlReading> cuts = new ArrayList<>(List.of(new UrlReading(path, query)));
        for (char end : ENDS) {
            int at = path.indexOf(end);
            if (at >= 0) {
                Optional<String> rest = end == '?'
                        ? Optional.of(path.substring(at + 1)
                                + query.map(text -> "?" + text).orElse(""))
                        : query;
                cuts.add(new UrlReading(path.substring(0, at), rest));
            }
        }
        return cuts;
    }

    private static Set<String> separated(String path) {
        Set<String> texts = new LinkedHashSet<>(Set.of(path));
        also(texts, text -> LEFT_OUT.matcher(text).replaceAll(""));
        also(texts, text -> text.replace('\\', '/'));
        also(texts, text -> PARAMETERS.matcher(text).replaceAll(""));
        return texts;
    }

    /// With and without empty segments, with and without dots, in either order.
    private static Set<String> walked(String path) {
        Set<String> texts = new LinkedHashSet<>(Set.of(path));
        also(texts, text -> SLASHES.matcher(text).replaceAll("/"));
        also(texts, UrlPaths::withoutDotSegments);
        also(texts, text -> SLASHES.matcher(text).replaceAll("/"));
        return texts;
    }

    private static void also(Set<String> texts, UnaryOperator<String> reading) {
        List.copyOf(texts).forEach(text -> texts.add(reading.apply(text)));
    }
}
