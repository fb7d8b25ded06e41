package dev.capsem.security.rule;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.capsem.security.condition.compile.Regexes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Replaces every match of a pattern by a text that may quote the pattern's named groups.
final class Replacement {
    /// A piece of the new text: words as they stand, or what a group caught.
    private sealed interface Piece {
        record Words(String text) implements Piece {}

        record Group(String name) implements Piece {}
    }

    /// The result of parsing.
    sealed interface Parsed {
        record Ok(Replacement replacement) implements Parsed {}

        /// @param isTarget whether `rewrite_target` is at fault, not `rewrite_value`
        record Refused(boolean isTarget, String reason) implements Parsed {}
    }

    private final RewriteTarget target;
    private final Pattern pattern;
    private final List<Piece> pieces;

    private Replacement(RewriteTarget target, Pattern pattern, List<Piece> pieces) {
        this.target = target;
        this.pattern = pattern;
        this.pieces = List.copyOf(pieces);
    }

    RewriteTarget target() {
        return target;
    }

    /// @param target `path =~ "pattern"`, or `path =~ r"pattern"` as a condition has it; the pattern is taken as it
    ///     stands
    /// @param value the new text, with `${name}` for named groups
    static Parsed parse(String target, String value) {
        int operator = target.indexOf("=~");
        if (operator < 0) {
            return new Parsed.Refused(true, "rewrite_target is written: path =~ \"pattern\".");
        }
        String path = target.substring(0, operator).strip();
        String written = target.substring(operator + 2).strip();
        boolean isRaw = written.startsWith("r\"") || written.startsWith("r'");
        String quoted = isRaw ? written.substring(1) : written;
        boolean isQuoted = quoted.length() >= 2
                && (quoted.charAt(0) == '"' || quoted.charAt(0) == '\'')
                && quoted.charAt(quoted.length() - 1) == quoted.charAt(0);
        if (!isQuoted) {
            return new Parsed.Refused(true, "write the pattern after =~ in quotes and end the line there.");
        }
        Optional<RewriteTarget> field = RewriteTarget.parse(path);
        if (field.isEmpty()) {
            return new Parsed.Refused(true, path + " cannot be rewritten; what can: " + RewriteTarget.ALLOWED + ".");
        }
        if (!isRaw && quoted.contains("\\\\")) {
            return new Parsed.Refused(
                    true,
                    "the pattern behind =~ is taken as it stands: write one \\ where a string of a condition has two,"
                            + " or r\"...\", which means the same in both.");
        }
        return switch (Regexes.compile(quoted.substring(1, quoted.length() - 1))) {
            case Regexes.Compiled.Refused refused ->
                new Parsed.Refused(true, "the pattern is not accepted: " + refused.reason() + ".");
            case Regexes.Compiled.Ok ok -> parse(field.get(), ok.pattern(), value);
        };
    }

    private static Parsed parse(RewriteTarget target, Pattern pattern, String value) {
        List<Piece> pieces = new ArrayList<>();
        int from = 0;
        while (from < value.length()) {
            int open = value.indexOf("${", from);
            if (open < 0) {
                break;
            }
            int close = value.indexOf('}', open);
            if (close < 0) {
                return new Parsed.Refused(false, "${ has no closing }.");
            }
            String name = value.substring(open + 2, close);
            if (!pattern.namedGroups().containsKey(name)) {
                return new Parsed.Refused(
                        false,
                        "${" + name + "} is no named group of the pattern; name it as in (?P<" + name + ">...).");
            }
            pieces.add(new Piece.Words(value.substring(from, open)));
            pieces.add(new Piece.Group(name));
            from = close + 1;
        }
        pieces.add(new Piece.Words(value.substring(from)));
        return new Parsed.Ok(new Replacement(target, pattern, pieces));
    }

    /// Empty if the pattern does not occur.
    Optional<String> apply(String text) {
        Matcher matcher = pattern.matcher(text);
        StringBuilder out = new StringBuilder();
        int from = 0;
        boolean found = false;
        while (matcher.find()) {
            found = true;
            out.append(text, from, matcher.start());
            for (Piece piece : pieces) {
                switch (piece) {
                    case Piece.Words words -> out.append(words.text());
                    case Piece.Group group -> {
                        String caught = matcher.group(group.name());
                        out.append(caught == null ? "" : caught);
                    }
                }
            }
            from = matcher.end();
        }
        return found ? Optional.of(out.append(text.substring(from)).toString()) : Optional.empty();
    }

    String require(String text) {
        return apply(text).orElseThrow(() -> new Rewrite.Inapplicable("the pattern does not occur"));
    }
}
