package dev.capsem.security.sigma;

import com.google.re2j.Pattern;
import dev.capsem.security.condition.Predicates;
import dev.capsem.security.condition.Predicates.Predicate;
import dev.capsem.security.condition.Predicates.Subject;
import dev.capsem.security.condition.compile.Regexes;
import java.math.BigInteger;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// One value of a selection with the modifiers of its field: how a text must be for it to match.
final class SigmaValue {
    static final Set<String> MODIFIERS =
            Set.of("contains", "startswith", "endswith", "re", "all", "cidr", "exists", "cased", "i", "m", "s");

    /// The result of building.
    sealed interface Built {
        record Ok(Predicate predicate) implements Built {}

        record Refused(String reason) implements Built {}
    }

    private SigmaValue() {}

    /// @param value none for YAML's null
    static Built build(Subject subject, List<String> modifiers, Optional<String> value) {
        if (modifiers.contains("exists")) {
            return exists(subject, value);
        }
        if (value.isEmpty()) {
            return new Built.Ok(Predicates.not(Predicates.exists(subject)));
        }
        if (modifiers.contains("cidr")) {
            return cidr(subject, value.get());
        }
        if (modifiers.contains("re")) {
            return regex(subject, value.get(), flags(modifiers));
        }
        return wildcard(subject, modifiers, value.get());
    }

    private static Built exists(Subject subject, Optional<String> value) {
        return switch (value.orElse("").toLowerCase(Locale.ROOT)) {
            case "true", "yes" -> new Built.Ok(Predicates.exists(subject));
            case "false", "no" -> new Built.Ok(Predicates.not(Predicates.exists(subject)));
            default -> new Built.Refused("exists takes true or false.");
        };
    }

    private static int flags(List<String> modifiers) {
        return (modifiers.contains("i") ? Pattern.CASE_INSENSITIVE : 0)
                | (modifiers.contains("m") ? Pattern.MULTILINE : 0)
                | (modifiers.contains("s") ? Pattern.DOTALL : 0);
    }

    private static Built regex(Subject subject, String text, int flags) {
        return switch (Regexes.compile(text, flags)) {
            case Regexes.Compiled.Ok ok -> new Built.Ok(Predicates.pattern(subject, ok.pattern()));
            case Regexes.Compiled.Refused refused ->
                new Built.Refused("the pattern is not accepted: " + refused.reason() + ".");
        };
    }

    /// Plain values: `*` and `?` are wildcards unless escaped, and case does not matter unless `cased` says so.
    private static Built wildcard(Subject subject, List<String> modifiers, String value) {
        boolean atStart = !modifiers.contains("contains") && !modifiers.contains("endswith");
        boolean atEnd = !modifiers.contains("contains") && !modifiers.contains("startswith");
        boolean cased = modifiers.contains("cased");
        Optional<String> plain = plain(value);
        if (plain.isPresent()) {
            return new Built.Ok(Predicates.text(subject, textTest(plain.get(), atStart, atEnd, cased)));
        }
        String pattern = (atStart ? "^" : "") + glob(value) + (atEnd ? "$" : "");
        return regex(subject, pattern, Pattern.DOTALL | (cased ? 0 : Pattern.CASE_INSENSITIVE));
    }

    private static Predicates.TextTest textTest(String value, boolean atStart, boolean atEnd, boolean cased) {
        if (atStart && atEnd) {
            return cased ? value::equals : value::equalsIgnoreCase;
        }
        int length = value.length();
        if (atStart) {
            return text -> text.regionMatches(!cased, 0, value, 0, length);
        }
        if (atEnd) {
            return text -> text.regionMatches(!cased, text.length() - length, value, 0, length);
        }
        String folded = cased ? value : value.toLowerCase(Locale.ROOT);
        return text -> (cased ? text : text.toLowerCase(Locale.ROOT)).contains(folded);
    }

    /// The value without its escapes; empty if it has wildcards.
    private static Optional<String> plain(String value) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '*' || c == '?') {
                return Optional.empty();
            }
            if (isEscape(value, i)) {
                c = value.charAt(++i);
            }
            out.append(c);
        }
        return Optional.of(out.toString());
    }

    private static String glob(String value) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (isEscape(value, i)) {
                out.append(Pattern.quote(String.valueOf(value.charAt(++i))));
            } else {
                out.append(c == '*' ? ".*" : c == '?' ? "." : Pattern.quote(String.valueOf(c)));
            }
        }
        return out.toString();
    }

    /// A backslash escapes only what would mean something: wildcards and itself.
    private static boolean isEscape(String value, int i) {
        return value.charAt(i) == '\\' && i + 1 < value.length() && "*?\\".indexOf(value.charAt(i + 1)) >= 0;
    }

    private static Built cidr(Subject subject, String range) {
        int slash = range.indexOf('/');
        Optional<byte[]> network = address(slash < 0 ? range : range.substring(0, slash));
        int bits = network.map(bytes -> bytes.length * 8).orElse(0);
        String prefix = slash < 0 ? String.valueOf(bits) : range.substring(slash + 1);
        boolean valid = network.isPresent() && prefix.matches("[0-9]{1,3}") && Integer.parseInt(prefix) <= bits;
        if (!valid) {
            return new Built.Refused("cidr takes an address range, such as 10.0.0.0/8.");
        }
        int shift = bits - Integer.parseInt(prefix);
        BigInteger wanted = new BigInteger(1, network.get()).shiftRight(shift);
        int length = network.get().length;
        return new Built.Ok(Predicates.text(
                subject,
                text -> address(text)
                        .filter(bytes -> bytes.length == length)
                        .map(bytes -> new BigInteger(1, bytes).shiftRight(shift).equals(wanted))
                        .orElse(false)));
    }

    /// Literals only: a name is never looked up.
    private static Optional<byte[]> address(String text) {
        try {
            return Optional.of(InetAddress.ofLiteral(text).getAddress());
        } catch (IllegalArgumentException notAnAddress) {
            return Optional.empty();
        }
    }
}
