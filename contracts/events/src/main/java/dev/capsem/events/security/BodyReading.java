package dev.capsem.events.security;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The text of a body as some reader takes it: one that undoes JSON's escapes, those of forms, or another charset.
/// Content types are not asked, since readers do not always ask them. Escapes of scripts, markup and mail, base64 and
/// archives are not undone.
///
/// @param isSame whether it means the same to everybody, written more plainly; an allow must hold for it
public record BodyReading(String text, boolean isSame) {
    /// What may be escaped in a URL but need not (RFC 3986 §2.3), beside letters and digits.
    private static final String UNRESERVED = "-._~";

    /// Beside the text itself; none for most bodies. Each is at most as long as the body.
    public static List<BodyReading> others(Body.Text body) {
        List<String> bases = new ArrayList<>(List.of(body.text()));
        body.asUtf8().ifPresent(bases::add);
        // ASCII in UTF-16 or UTF-32 that nobody declared.
        List.copyOf(bases).stream()
                .filter(base -> base.indexOf('\0') >= 0)
                .forEach(base -> bases.add(base.replace("\0", "")));
        Map<String, Boolean> found = new LinkedHashMap<>();
        found.put(unescaped(body.text(), false), true);
        found.putIfAbsent(undone(body.text(), false), true);
        for (String base : bases) {
            found.putIfAbsent(base, false);
            found.putIfAbsent(unescaped(base, true), false);
            String form = undone(base, true);
            found.putIfAbsent(form, false);
            found.putIfAbsent(unescaped(form, true), false);
        }
        found.remove(body.text());
        return found.entrySet().stream()
                .map(entry -> new BodyReading(entry.getKey(), entry.getValue()))
                .toList();
    }

    /// Without JSON's escapes.
    ///
    /// @param all also those without which the text would be other JSON: quotes, backslashes, control characters
    static String unescaped(String text, boolean all) {
        int next = text.indexOf('\\');
        if (next < 0) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length());
        int from = 0;
        while (next >= 0 && next + 1 < text.length()) {
            out.append(text, from, next);
            char letter = text.charAt(next + 1);
            int unit = letter == 'u' ? hexadecimal(text, next + 2, 4) : meant(letter);
            int length = letter == 'u' && unit >= 0 ? 6 : 2;
            boolean isNeeded = unit < 0 || unit == '"' || unit == '\\' || unit < ' ';
            if (unit >= 0 && (all || !isNeeded)) {
                out.append((char) unit);
            } else {
                out.append(text, next, next + length);
            }
            from = next + length;
            next = text.indexOf('\\', from);
        }
        return out.append(text, Math.min(from, text.length()), text.length()).toString();
    }

    private static int meant(char letter) {
        return switch (letter) {
            case '"', '\\', '/' -> letter;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            default -> -1;
        };
    }

    /// Without the escapes of forms.
    ///
    /// @param all also those without which the text would be another form: `+` for a blank, `%26` and its like
    static String undone(String text, boolean all) {
        int percent = text.indexOf('%');
        int plus = all ? text.indexOf('+') : -1;
        if (percent < 0 && plus < 0) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length());
        ByteArrayOutputStream escaped = new ByteArrayOutputStream();
        int at = 0;
        while (percent >= 0 || plus >= 0) {
            boolean isBlank = plus >= 0 && (percent < 0 || plus < percent);
            int next = isBlank ? plus : percent;
            int octet = isBlank ? -1 : hexadecimal(text, next + 1, 2);
            boolean isUndone = octet >= 0 && (all || isUnreserved(octet));
            if (next > at || !isUndone) {
                flush(escaped, out);
                out.append(text, at, next);
            }
            if (isUndone) {
                escaped.write(octet);
            } else {
                out.append(isBlank ? ' ' : '%');
            }
            at = isUndone ? next + 3 : next + 1;
            if (isBlank) {
                plus = text.indexOf('+', at);
            } else {
                percent = text.indexOf('%', at);
            }
        }
        flush(escaped, out);
        return out.append(text, at, text.length()).toString();
    }

    private static void flush(ByteArrayOutputStream escaped, StringBuilder out) {
        if (escaped.size() > 0) {
            out.append(escaped.toString(StandardCharsets.UTF_8));
            escaped.reset();
        }
    }

    private static boolean isUnreserved(int octet) {
        return octet < 0x80 && (Character.isLetterOrDigit(octet) || UNRESERVED.indexOf(octet) >= 0);
    }

    /// -1 if there is no number of so many digits.
    private static int hexadecimal(String text, int from, int digits) {
        if (from + digits > text.length()) {
            return -1;
        }
        int number = 0;
        for (int i = from; i < from + digits; i++) {
            int digit = text.charAt(i) < 0x80 ? Character.digit(text.charAt(i), 16) : -1;
            if (digit < 0) {
                return -1;
            }
            number = number << 4 | digit;
        }
        return number;
    }

    /// Content may be secret.
    @Override
    public String toString() {
        return "BodyReading[" + text.length() + " characters]";
    }
}
