package dev.capsem.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Which ring a test belongs to. A port shows by itself, because the ring `--logic` runs without a loopback device; a
/// process does not, so the sources are asked.
@Tag("shape")
class RingsTest {
    private static final List<Path> JAVA = Repository.files(".java");
    private static final String TAG = "@Tag(\"sockets\")";
    private static final Pattern STARTS = Pattern.compile("\\bnew ProcessBuilder\\b|getRuntime\\(\\)\\.exec\\(");
    private static final Pattern WORD = Pattern.compile("\\w+");
    private static final Pattern COMMENT = Pattern.compile("(?m)//.*$");

    /// Class name to source, of the files of one folder.
    private static Map<String, String> sources(String folder) {
        Map<String, String> sources = new HashMap<>();
        for (Path file : JAVA) {
            String name = Repository.name(file);
            if (name.startsWith(folder)) {
                String source = COMMENT.matcher(String.join("\n", Repository.lines(file)))
                        .replaceAll("");
                sources.put(name.replaceFirst(".*/", "").replace(".java", ""), source);
            }
        }
        return sources;
    }

    private static Set<String> modules() {
        Set<String> modules = new TreeSet<>();
        for (Path file : Repository.files("pom.xml")) {
            modules.add(Repository.name(file).replaceFirst("/?pom.xml$", ""));
        }
        modules.removeAll(List.of("", "testing/e2e"));
        return modules;
    }

    /// The tests that start a process, by themselves or by a class of their module, and those that use such a class.
    private static Set<String> starters(String module, Map<String, String> sources) {
        Set<String> found = new HashSet<>();
        Map<String, String> all = new HashMap<>(sources(module + "/src/main/"));
        all.putAll(sources);
        all.forEach((name, source) -> {
            if (STARTS.matcher(source).find()) {
                found.add(name);
            }
        });
        for (int before = -1; before != found.size(); ) {
            before = found.size();
            sources.forEach((name, source) -> {
                if (WORD.matcher(source).results().anyMatch(word -> found.contains(word.group()))) {
                    found.add(name);
                }
            });
        }
        return found;
    }

    @Test
    void aTestThatStartsAProcessIsNotLogic() {
        Set<String> wrong = new TreeSet<>();
        for (String module : modules()) {
            Map<String, String> sources = sources(module + "/src/test/");
            for (String name : starters(module, sources)) {
                String source = sources.getOrDefault(name, "");
                if (name.endsWith("Test") && source.contains("@Test") && !source.contains(TAG)) {
                    wrong.add(module + ": " + name);
                }
            }
        }

        assertThat(wrong).as("tests without %s", TAG).isEmpty();
    }
}
