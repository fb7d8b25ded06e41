package dev.capsem.policy;

import dev.capsem.policy.ir.Element;
import java.util.List;
import java.util.regex.Pattern;

/// Says whether some validator of the host takes care of an assertion. The validator itself runs elsewhere.
@FunctionalInterface
public interface AssertionValidator {
    boolean recognises(Element.Assertion assertion);

    /// Recognises the given ids; an id that ends in `*` stands for every id with that beginning.
    static AssertionValidator ofIds(List<String> patterns) {
        List<Pattern> compiled = patterns.stream()
                .map(pattern -> pattern.endsWith("*")
                        ? Pattern.compile(
                                Pattern.quote(pattern.substring(0, pattern.length() - 1)) + ".*", Pattern.DOTALL)
                        : Pattern.compile(Pattern.quote(pattern)))
                .toList();
        return assertion -> compiled.stream()
                .anyMatch(pattern -> pattern.matcher(assertion.id()).matches());
    }
}
