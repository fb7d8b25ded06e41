package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The table of faults in the documentation names tests that are there.
class McpTablesTest {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final Pattern NAMED = Pattern.compile("`(\\w+)#(\\w+)`");

    @Test
    void everyRowOfTheTableOfFaultsNamesTestsThatExist() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/reference/mcp.md"));
        List<String> rows = page.substring(page.indexOf("<!-- faults -->"), page.indexOf("<!-- /faults -->"))
                .lines()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| What happens"))
                .toList();

        assertThat(rows).hasSizeGreaterThan(15);
        List<String> missing = new ArrayList<>();
        for (String row : rows) {
            Matcher named = NAMED.matcher(row);
            assertThat(named.find()).as("a test in: %s", row).isTrue();
            do {
                if (!source(named.group(1)).contains("    void " + named.group(2) + "(")) {
                    missing.add(named.group());
                }
            } while (named.find());
        }
        assertThat(missing).isEmpty();
    }

    private static String source(String test) throws IOException {
        List<Path> modules = new ArrayList<>();
        for (String zone : List.of("contracts", "datapath", "control", "front", "testing")) {
            try (Stream<Path> inside = Files.list(ROOT.resolve(zone))) {
                inside.map(module -> module.resolve("src/test/java"))
                        .filter(Files::isDirectory)
                        .forEach(modules::add);
            }
        }
        for (Path module : modules) {
            try (Stream<Path> files = Files.walk(module)) {
                List<Path> found =
                        files.filter(file -> file.endsWith(test + ".java")).toList();
                if (!found.isEmpty()) {
                    return Files.readString(found.getFirst());
                }
            }
        }
        return "";
    }
}
