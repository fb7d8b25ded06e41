package dev.capsem.security;

import dev.capsem.events.address.AddressClass;
import dev.capsem.events.security.Decision;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.WireNamed;
import dev.capsem.security.condition.Term;
import dev.capsem.security.rule.Rule;
import dev.capsem.security.schema.Field;
import dev.capsem.security.schema.Schema;
import dev.capsem.security.sigma.Detection;
import dev.capsem.source.Problem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Finds rules that do not do what they seem to: dead ones, ones that an earlier rule always beats, blocks
/// that leaving something out escapes. Warns only where it is sure of the first two.
final class RuleLint {
    private static final Pattern EQUALITY = Pattern.compile("([a-z_.]+) == \"((?:[^\"\\\\]|\\\\.)*)\"");

    private RuleLint() {}

    static List<Problem> warnings(RuleSnapshot snapshot) {
        List<Problem> warnings = new ArrayList<>();
        for (EventType type : Schema.JUDGED) {
            List<Rule> rules = snapshot.rules(type);
            Shadows shadows = new Shadows(rules);
            for (Rule rule : rules) {
                Optional<String> dead = dead(rule);
                if (dead.isPresent()) {
                    warnings.add(warning(rule, "can never match: " + dead.get()));
                    continue;
                }
                shadows.of(rule)
                        .ifPresent(earlier -> warnings.add(warning(
                                rule,
                                "never decides: " + earlier.id()
                                        + " matches everything it does, and is asked first.")));
                shadows.add(rule);
                escapes(rule).ifPresent(warnings::add);
                toothless(rule).ifPresent(warnings::add);
                firstWordOnly(rule).ifPresent(warnings::add);
            }
        }
        snapshot.detections().forEach(detection -> blind(detection).ifPresent(warnings::add));
        return warnings;
    }

    /// Detections never hold up an answer, so they see its body only where a rule does.
    private static Optional<Problem> blind(Detection detection) {
        return detection.reads().stream()
                .map(Field::path)
                .filter(path -> path.startsWith("http.response.body."))
                .sorted()
                .findFirst()
                .map(path -> Problem.warning(
                        detection.place(),
                        detection.id() + " sees nothing of an answer that streams: " + path
                                + " is read only where a rule waits for it. To wait, add a rule on http.response with"
                                + " decision = \"allow\" whose if reads " + path + "."));
    }

    /// A file's change is seen after it happened.
    private static Optional<Problem> toothless(Rule rule) {
        return rule.on() == EventType.FILE_ACTIVITY && rule.decision() != Decision.ALLOW
                ? Optional.of(warning(
                        rule,
                        "stops nothing: changes of files are seen after they happened, so it is recorded with them"
                                + " and not enforced."))
                : Optional.empty();
    }

    /// A line for a shell has a first word like any other, and whatever it likes behind it.
    private static Optional<Problem> firstWordOnly(Rule rule) {
        Set<String> reads =
                rule.condition().facts().reads().stream().map(Field::path).collect(Collectors.toSet());
        boolean readsFirstWord =
                reads.contains("process.exec.executable") || reads.contains("process.exec.command_class");
        boolean readsRest = reads.contains("process.exec.argv") || reads.contains("process.exec.command");
        return rule.decision() == Decision.ALLOW && readsFirstWord && !readsRest
                ? Optional.of(warning(
                        rule,
                        "also allows lines for a shell that begin so, such as \"echo hi; curl ...\": it reads the first"
                                + " word only. To allow single commands, add && size(process.exec.argv) > 0."))
                : Optional.empty();
    }

    private static Problem warning(Rule rule, String message) {
        return Problem.warning(rule.place(), rule.id() + " " + message);
    }

    private static Optional<String> dead(Rule rule) {
        if (rule.condition().isNever()) {
            return Optional.of("its condition is false.");
        }
        Map<String, String> equal = new HashMap<>();
        for (Term term : rule.condition().terms()) {
            Matcher matcher = EQUALITY.matcher(term.text());
            if (!matcher.matches()) {
                continue;
            }
            String path = matcher.group(1);
            String value = matcher.group(2);
            String other = equal.putIfAbsent(path, value);
            if (other != null && !other.equals(value)) {
                return Optional.of(path + " cannot be two things at once.");
            }
            Optional<String> impossible = impossible(path, value);
            if (impossible.isPresent()) {
                return impossible;
            }
        }
        return Optional.empty();
    }

    /// Values that the field never has.
    private static Optional<String> impossible(String path, String value) {
        boolean isName = path.equals("http.request.host") || path.equals("dns.request.qname");
        if (isName && value.contains("*")) {
            return Optional.of(path + " has no wildcards; use endsWith(\"."
                    + value.replace("*", "").replaceFirst("^\\.+", "") + "\").");
        }
        if (isName && (!value.equals(value.toLowerCase(Locale.ROOT)) || value.endsWith("."))) {
            return Optional.of(path + " is lower case and has no trailing dot.");
        }
        if (path.equals("http.request.address_class")
                && WireNamed.parse(AddressClass.class, value).isEmpty()) {
            return Optional.of("there is no such class of addresses; there are "
                    + Arrays.stream(AddressClass.values())
                            .map(AddressClass::wireName)
                            .collect(Collectors.joining(", "))
                    + ".");
        }
        if (path.equals("http.request.method") && !value.equals(value.toUpperCase(Locale.ROOT))) {
            return Optional.of("methods are upper case.");
        }
        return Optional.empty();
    }

    private static Optional<Problem> escapes(Rule rule) {
        boolean guards = rule.decision() == Decision.BLOCK || rule.decision() == Decision.ASK;
        Set<String> escapes = rule.condition().facts().escapes();
        if (!guards || escapes.isEmpty()) {
            return Optional.empty();
        }
        String field = escapes.stream().sorted().findFirst().orElseThrow();
        return Optional.of(warning(
                rule,
                "can be escaped by leaving out " + field + "; to include that case write !" + field
                        + ".exists() || (...)."));
    }

    /// Earlier rules by their rarest term. A rule whose terms are all among those of a later one matches
    /// whenever that one does.
    private static final class Shadows {
        private final Map<String, Integer> uses = new HashMap<>();
        private final Map<String, List<Rule>> byRarestTerm = new HashMap<>();

        Shadows(List<Rule> rules) {
            for (Rule rule : rules) {
                rule.condition().terms().forEach(term -> uses.merge(term.text(), 1, Integer::sum));
            }
        }

        Optional<Rule> of(Rule later) {
            Set<String> terms = new HashSet<>();
            later.condition().terms().forEach(term -> terms.add(term.text()));
            terms.add("true");
            return terms.stream()
                    .flatMap(term -> byRarestTerm.getOrDefault(term, List.of()).stream())
                    .filter(earlier -> earlier.decision() == Decision.BLOCK
                            || earlier.speaksOfAddresses()
                            || !later.speaksOfAddresses())
                    .filter(earlier ->
                            earlier.condition().terms().stream().allMatch(term -> terms.contains(term.text())))
                    .min(Rule.ORDER);
        }

        void add(Rule rule) {
            String rarest = rule.condition().terms().stream()
                    .map(Term::text)
                    .min(Comparator.comparing(text -> uses.getOrDefault(text, 0)))
                    .orElseThrow();
            byRarestTerm.computeIfAbsent(rarest, _ -> new ArrayList<>()).add(rule);
        }
    }
}
