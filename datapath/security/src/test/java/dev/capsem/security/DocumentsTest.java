package dev.capsem.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.vocabulary.EventType;
import dev.capsem.security.explain.RuleTests;
import dev.capsem.security.schema.Field;
import dev.capsem.security.schema.Schema;
import dev.capsem.security.sigma.DetectionSource;
import dev.capsem.security.sigma.SigmaReader;
import dev.capsem.source.Layer;
import dev.capsem.source.Problem;
import dev.capsem.source.SourceText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// What the documents say is what the engine does.
class DocumentsTest {
    private static final Path RULES = Path.of("../../docs/rules.md");
    private static final Path FIELDS = Path.of("../../docs/reference/rule-fields.md");

    @Test
    void everyRuleOfTheGuideLoadsWithoutAWarningAndMeetsItsExpectations() throws IOException {
        List<String> examples = blocks("toml");

        assertThat(examples).hasSizeGreaterThanOrEqualTo(7);
        for (String toml : examples) {
            RuleCompiler.Result result =
                    Events.COMPILER.compile(List.of(new SourceText("docs/rules.md", Layer.USER, toml)));
            assertThat(result).as(toml).isInstanceOf(RuleCompiler.Result.Compiled.class);
            RuleCompiler.Result.Compiled compiled = (RuleCompiler.Result.Compiled) result;
            assertThat(compiled.warnings()).as(toml).isEmpty();
            List<RuleTests.Outcome> outcomes = RuleTests.run(compiled.snapshot());
            assertThat(outcomes)
                    .as(toml)
                    .isNotEmpty()
                    .allSatisfy(outcome ->
                            assertThat(outcome.isMet()).as(outcome.toString()).isTrue());
        }
    }

    @Test
    void everyDetectionOfTheGuideLoads() throws IOException {
        List<String> examples = blocks("yaml");

        assertThat(examples).isNotEmpty();
        for (String yaml : examples) {
            SigmaReader.Read read = new SigmaReader().read(new DetectionSource("docs/rules.md", "docs", yaml));
            assertThat(read.problems()).extracting(Problem::toString).isEmpty();
            assertThat(read.detections()).hasSize(1);
        }
    }

    @Test
    void theFieldPageIsTheSchema() throws IOException {
        String page = fieldPage();
        if (Boolean.getBoolean("golden.update")) {
            Files.writeString(FIELDS, page);
        }

        assertThat(Files.readString(FIELDS))
                .as("run with -Dgolden.update to rewrite %s", FIELDS)
                .isEqualTo(page);
    }

    private static String fieldPage() {
        StringBuilder page = new StringBuilder("""
                # What rules may read

                Generated from the engine's schema and compared with it by a test. *May be missing* marks what the guest can
                leave out: any use of it but `exists()` and `has()` makes the rule not match.

                | Path | Type | Known at | May be missing | Meaning |
                |---|---|---|---|---|
                """);
        for (Field field : Schema.standard().fields()) {
            String at = field.at().size() == Schema.JUDGED.size()
                    ? "every event"
                    : Schema.JUDGED.stream()
                            .filter(field.at()::contains)
                            .map(EventType::wireName)
                            .collect(Collectors.joining(", "));
            page.append("| `")
                    .append(field.path())
                    .append("` | ")
                    .append(type(field))
                    .append(" | ")
                    .append(at)
                    .append(" | ")
                    .append(field.isOmittable() ? "yes" : "")
                    .append(" | ")
                    .append(field.meaning())
                    .append(" |\n");
        }
        return page.append("""
                | `http.request.header("name")` | string | http.request, http.response | yes | The header's value; several lines are joined with `, `. |
                | `http.response.header("name")` | string | http.response | yes | The same, of the response. |
                """).toString();
    }

    private static String type(Field field) {
        return switch (field.type().kind()) {
            case LIST -> field.path().endsWith("argv") ? "list of strings" : "list";
            case MAP -> "map of lists";
            case DYN -> "any JSON";
            default -> field.type().name();
        };
    }

    private static List<String> blocks(String language) throws IOException {
        List<String> blocks = new ArrayList<>();
        String[] parts = Files.readString(RULES).split("```" + language + "\n");
        for (int i = 1; i < parts.length; i++) {
            blocks.add(parts[i].substring(0, parts[i].indexOf("```")));
        }
        return blocks;
    }
}
