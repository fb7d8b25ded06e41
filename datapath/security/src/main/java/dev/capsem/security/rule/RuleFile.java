package dev.capsem.security.rule;

import dev.capsem.source.Problem;
import java.util.List;

/// The contents of one source.
///
/// @param rules only if there are no errors are they all there
public record RuleFile(List<Rule> rules, List<Expectation> expectations, List<Problem> problems) {
    public RuleFile {
        rules = List.copyOf(rules);
        expectations = List.copyOf(expectations);
        problems = List.copyOf(problems);
    }
}
