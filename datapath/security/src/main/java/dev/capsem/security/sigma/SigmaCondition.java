package dev.capsem.security.sigma;

import dev.capsem.security.condition.Predicates;
import dev.capsem.security.condition.Predicates.Predicate;
import dev.capsem.source.Suggestion;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The `condition` line: names of selections with `not`, `and`, `or` (binding in that order), `1 of`, `all
/// of` and parentheses.
final class SigmaCondition {
    /// The result of parsing.
    sealed interface Parsed {
        record Ok(Predicate predicate) implements Parsed {}

        record Refused(String reason) implements Parsed {}
    }

    private static final int NESTING_MAX = 50;
    private static final Pattern TOKEN = Pattern.compile("\\s*([()|]|[^\\s()|]+)");

    private final List<String> tokens;
    private final Map<String, Predicate> selections;
    private int at;
    private int depth;

    private SigmaCondition(List<String> tokens, Map<String, Predicate> selections) {
        this.tokens = tokens;
        this.selections = selections;
    }

    static Parsed parse(String text, Map<String, Predicate> selections) {
        List<String> tokens = new ArrayList<>();
        Matcher matcher = TOKEN.matcher(text);
        while (matcher.lookingAt()) {
            tokens.add(matcher.group(1));
            matcher.region(matcher.end(), text.length());
        }
        SigmaCondition parser = new SigmaCondition(tokens, selections);
        try {
            Predicate predicate = parser.or();
            if (parser.at < tokens.size()) {
                throw new Malformed("unexpected " + parser.next() + " in the condition.");
            }
            return new Parsed.Ok(predicate);
        } catch (Malformed malformed) {
            return new Parsed.Refused(malformed.reason);
        }
    }

    private Predicate or() {
        List<Predicate> parts = new ArrayList<>();
        parts.add(and());
        while (accept("or")) {
            parts.add(and());
        }
        return parts.size() == 1 ? parts.get(0) : Predicates.any(parts);
    }

    private Predicate and() {
        List<Predicate> parts = new ArrayList<>();
        parts.add(not());
        while (accept("and")) {
            parts.add(not());
        }
        return parts.size() == 1 ? parts.get(0) : Predicates.all(parts);
    }

    private Predicate not() {
        if (++depth > NESTING_MAX) {
            throw new Malformed("the condition is nested too deeply.");
        }
        Predicate predicate = accept("not") ? Predicates.not(not()) : primary();
        depth--;
        return predicate;
    }

    private Predicate primary() {
        String token = next();
        if (token.equals("(")) {
            Predicate inside = or();
            if (!accept(")")) {
                throw new Malformed("a parenthesis is not closed.");
            }
            return inside;
        }
        String word = token.toLowerCase(Locale.ROOT);
        boolean quantifier = (word.equals("1") || word.equals("any") || word.equals("all"))
                && at < tokens.size()
                && tokens.get(at).equalsIgnoreCase("of");
        if (quantifier) {
            at++;
            List<Predicate> chosen = chosen(next());
            return word.equals("all") ? Predicates.all(chosen) : Predicates.any(chosen);
        }
        Predicate selection = selections.get(token);
        if (selection == null) {
            throw new Malformed("the condition names " + token + ", which is no selection."
                    + Suggestion.didYouMean(token, selections.keySet()));
        }
        return selection;
    }

    /// Names beginning with `_` are left out of `them`, as Sigma says.
    private List<Predicate> chosen(String pattern) {
        boolean everything = pattern.equalsIgnoreCase("them");
        Pattern name = Pattern.compile(
                everything ? "[^_].*" : Pattern.quote(pattern).replace("*", "\\E.*\\Q"), Pattern.DOTALL);
        List<Predicate> chosen = selections.entrySet().stream()
                .filter(entry -> name.matcher(entry.getKey()).matches())
                .map(Map.Entry::getValue)
                .toList();
        if (chosen.isEmpty()) {
            throw new Malformed("no selection is called " + pattern + ".");
        }
        return chosen;
    }

    private boolean accept(String word) {
        boolean found = at < tokens.size() && tokens.get(at).equalsIgnoreCase(word);
        at += found ? 1 : 0;
        return found;
    }

    private String next() {
        if (at >= tokens.size()) {
            throw new Malformed("the condition ends too early.");
        }
        String token = tokens.get(at++);
        if (token.equals("|")) {
            throw new Malformed("aggregations (|) are not supported: a detection judges one event.");
        }
        return token;
    }

    /// Why parsing stopped.
    private static final class Malformed extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final String reason;

        Malformed(String reason) {
            super(reason, null, false, false);
            this.reason = reason;
        }
    }
}
