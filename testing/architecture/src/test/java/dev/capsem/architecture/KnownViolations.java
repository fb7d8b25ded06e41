package dev.capsem.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// What was wrong before there was a rule, by name, in `known-violations.txt`. The list only shrinks: a violation that
/// is not in it fails, and so does a line that is no longer true.
final class KnownViolations {
    private static final Path LIST = Path.of("src/test/resources/known-violations.txt");

    private KnownViolations() {}

    /// @param rule the word that the rule's lines begin with
    static void check(String rule, Collection<String> found) {
        Set<String> known = Repository.lines(LIST).stream()
                .filter(line -> line.startsWith(rule + " "))
                .map(line -> line.substring(rule.length() + 1))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(new TreeSet<>(found))
                .as("%s, beside the known ones of %s", rule, LIST)
                .isSubsetOf(known);
        assertThat(known).as("%s in %s: take out what is mended", rule, LIST).isSubsetOf(new TreeSet<>(found));
    }
}
