package dev.capsem.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Documents name modules, classes and tests; all of them exist.
@Tag("shape")
class DocumentsTest {
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
    private static final Pattern ZONE = Pattern.compile("\\| `(\\w+)/` \\|[^|]*\\|([^|]*)\\|");
    private static final Pattern IN_BRACKETS = Pattern.compile("\\([^()]*\\)");
    /// `package.Class.member`; package and member may be missing.
    private static final Pattern CLASS =
            Pattern.compile("((?:[a-z]\\w*\\.)*)([A-Z]\\w*[a-z]\\w*)((?:\\.\\w+)?)(?:\\(\\))?");

    private static final Pattern TEST = Pattern.compile("([A-Z]\\w*Test)(?:\\.(\\w+))?");
    private static final Pattern TEST_METHOD = Pattern.compile("[a-z]+(?:[A-Z][a-z]*){2,}");
    private static final List<String> PROOFS = List.of("docs/threat-model.md", "docs/features.md", "SECURITY.md");

    @Test
    void theZonesAreTheModules() {
        Set<String> built = new TreeSet<>(Set.of("guest/agent"));
        Matcher modules = MODULE.matcher(text("pom.xml"));
        while (modules.find()) {
            built.add(modules.group(1));
        }

        Set<String> told = new TreeSet<>();
        Matcher zones = ZONE.matcher(text("ARCHITECTURE.md"));
        while (zones.find()) {
            String names = IN_BRACKETS.matcher(zones.group(2)).replaceAll("");
            Matcher name = CODE.matcher(names);
            while (name.find()) {
                told.add(zones.group(1) + "/" + name.group(1));
            }
        }

        assertThat(told).isEqualTo(built);
    }

    @Test
    void theWalksNameClassesThatExist() {
        Map<String, List<Path>> classes = Repository.files(".java").stream()
                .collect(Collectors.groupingBy(file -> file.getFileName().toString()));
        Set<String> sources = Repository.files(".c").stream()
                .map(file -> file.getFileName().toString())
                .collect(Collectors.toSet());
        List<String> missing = new ArrayList<>();
        for (String word : codeOfWalks()) {
            Matcher named = CLASS.matcher(word);
            if (word.endsWith(".c") ? !sources.contains(word) : named.matches() && !exists(named, classes)) {
                missing.add(word);
            }
        }

        assertThat(missing).isEmpty();
    }

    @Test
    void theProofsNameTestsThatExist() {
        Map<String, String> tests = new HashMap<>();
        for (Path file : Repository.files("Test.java")) {
            tests.merge(
                    file.getFileName().toString().replace(".java", ""),
                    String.join("\n", Repository.lines(file)),
                    (one, other) -> one + "\n" + other);
        }
        String all = String.join("\n", tests.values());
        List<String> missing = new ArrayList<>();
        for (String document : PROOFS) {
            for (String word : code(text(document))) {
                Matcher test = TEST.matcher(word);
                if (test.matches()) {
                    Optional<String> source = Optional.ofNullable(tests.get(test.group(1)));
                    if (source.isEmpty()
                            || (test.group(2) != null && !source.get().contains(test.group(2) + "("))) {
                        missing.add(document + ": " + word);
                    }
                } else if (TEST_METHOD.matcher(word).matches() && !all.contains(word + "(")) {
                    missing.add(document + ": " + word);
                }
            }
        }

        assertThat(missing).isEmpty();
    }

    private static boolean exists(Matcher named, Map<String, List<Path>> classes) {
        String folder = named.group(1).replace('.', '/');
        String member = named.group(3).isEmpty() ? "" : named.group(3).substring(1);
        Pattern declared = Pattern.compile("\\b" + (member.isEmpty() ? named.group(2) : member) + "\\b");
        List<Path> files = new ArrayList<>(classes.getOrDefault(named.group(2) + ".java", List.of()));
        return files.stream()
                .filter(file -> Path.of("/" + Repository.name(file))
                        .toString()
                        .contains("/" + folder + named.group(2) + ".java"))
                .anyMatch(file -> declared.matcher(String.join("\n", Repository.lines(file)))
                        .find());
    }

    /// Everything in code type of the sections that follow a request or a reload.
    private static List<String> codeOfWalks() {
        List<String> walks = new ArrayList<>();
        boolean isWalk = false;
        for (String line : text("ARCHITECTURE.md").split("\n")) {
            if (line.startsWith("## ")) {
                isWalk = line.startsWith("## One ");
            } else if (isWalk) {
                walks.add(line);
            }
        }
        List<String> code = code(String.join("\n", walks));
        assertThat(code).as("walks of ARCHITECTURE.md").hasSizeGreaterThan(50);
        return code;
    }

    private static List<String> code(String text) {
        return CODE.matcher(text).results().map(found -> found.group(1)).toList();
    }

    private static String text(String document) {
        Path found = Repository.files(document).stream()
                .filter(file -> Repository.name(file).equals(document))
                .findFirst()
                .orElseThrow();
        return String.join("\n", Repository.lines(found));
    }
}
