package dev.capsem.mcp.pin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.mcp.pin.ToolPins.Change;
import dev.capsem.wire.aggregator.AggregatorReply;
import dev.capsem.wire.aggregator.CatalogEntry;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// A corpus of poisoned tools: each is found, and those that could act on a model wait for a person.
class PoisonedToolsTest {
    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
    private static final Path CORPUS = Path.of("src/test/resources/poison");
    private static final Path REFERENCE = Path.of("../../docs/reference/mcp.md");
    private static final String BEGIN = "<!-- poison -->\n";
    private static final String END = "<!-- /poison -->";

    /// @param before the catalog that was approved
    /// @param found what the review must report, all of it
    /// @param held the tools that then wait for a person
    record Poison(
            String id,
            String attack,
            List<CatalogEntry> before,
            List<CatalogEntry> now,
            List<String> found,
            List<String> held) {
        static Poison of(JsonNode json) {
            return new Poison(
                    json.get("id").asString(),
                    json.get("attack").asString(),
                    catalog(json.get("before")),
                    catalog(json.get("now")),
                    texts(json.get("found")),
                    texts(json.get("held")));
        }

        String row() {
            List<String> shown = found.stream()
                    .map(text -> text.substring(text.indexOf(' ') + 1).replaceFirst("Telling: ", ""))
                    .distinct()
                    .toList();
            return "| %s | %s | %s | %s |%n"
                    .formatted(id, attack, String.join(", ", shown), held.isEmpty() ? "reported" : "asked about");
        }

        @Override
        public String toString() {
            return id;
        }
    }

    static Stream<Poison> corpus() {
        return read("corpus.json").valueStream().map(Poison::of);
    }

    @ParameterizedTest
    @MethodSource("corpus")
    void isFoundAndWaitsForAPerson(Poison poison) {
        ToolPins known = ToolPins.NONE.review(poison.before(), NOW).pins();

        ToolPins.Review review = known.review(poison.now(), NOW);

        List<String> found = new ArrayList<>();
        review.suspicions().forEach(suspicion -> found.add(text(suspicion)));
        review.changes().forEach(change -> found.add(change.key() + " " + kind(change)));
        assertThat(found.stream().distinct()).containsExactlyInAnyOrderElementsOf(poison.found());
        assertThat(review.pins().all().stream()
                        .filter(pin -> pin.isListed()
                                && review.pins().concern(pin.key()).isPresent())
                        .map(ToolPin::key))
                .containsExactlyInAnyOrderElementsOf(poison.held());
    }

    @Test
    void honestToolsAreLeftInPeace() {
        List<CatalogEntry> honest = catalog(read("honest.json"));

        ToolPins.Review review = ToolPins.NONE.review(honest, NOW);

        assertThat(review.suspicions()).isEmpty();
        assertThat(review.pins().all())
                .allSatisfy(pin -> assertThat(review.pins().concern(pin.key())).isEmpty());
    }

    @Test
    void theReferenceListsTheCorpus() throws IOException {
        StringBuilder table = new StringBuilder("| Case | Attack | Found as | The tool is |\n|---|---|---|---|\n");
        corpus().forEach(poison -> table.append(poison.row()));
        String text = Files.readString(REFERENCE);
        int from = text.indexOf(BEGIN) + BEGIN.length();
        int until = text.indexOf(END);
        if (System.getProperty("golden.update") != null) {
            Files.writeString(REFERENCE, text.substring(0, from) + table + text.substring(until));
            return;
        }

        assertThat(text.substring(from, until)).isEqualTo(table.toString());
    }

    private static String text(ToolSuspicion suspicion) {
        return suspicion.key() + " "
                + switch (suspicion) {
                    case ToolSuspicion.HiddenText _ -> "HiddenText";
                    case ToolSuspicion.SameName _ -> "SameName";
                    case ToolSuspicion.SpeaksOf _ -> "SpeaksOf";
                    case ToolSuspicion.LooksLike _ -> "LooksLike";
                    case ToolSuspicion.Telling telling -> "Telling: " + telling.meaning();
                };
    }

    private static String kind(Change change) {
        return change.getClass().getSimpleName();
    }

    private static List<CatalogEntry> catalog(JsonNode tools) {
        return tools.valueStream()
                .map(tool -> CatalogEntry.of(
                        AggregatorReply.Kind.TOOLS, tool.get("server").asString(), (ObjectNode) tool.get("definition")))
                .toList();
    }

    private static List<String> texts(JsonNode array) {
        return array.valueStream().map(JsonNode::asString).toList();
    }

    private static JsonNode read(String name) {
        try {
            return Json.parse(Files.readAllBytes(CORPUS.resolve(name)));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
