package dev.capsem.cli.agent.recipe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.source.Layer;
import dev.capsem.source.Problem;
import dev.capsem.source.SourceText;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecipeReaderTest {
    private static final String HEAD = "schema = \"capsem.agent.v1\"\nname = \"tiny\"\n";

    private static RecipeReader.Reading read(String text) {
        return RecipeReader.read(new SourceText("tiny.toml", Layer.USER, text));
    }

    private static List<String> mistakes(String text) {
        RecipeReader.Reading reading = read(text);
        assertThat(reading.recipe()).isEmpty();
        return reading.problems().stream().map(Problem::toString).toList();
    }

    @Test
    void tenLinesAreEnough() {
        AgentRecipe recipe = read(HEAD + """
                yolo = ["--go"]
                [env]
                CI = "1"
                [[login]]
                name = "tiny"
                variable = "TINY_KEY"
                hosts = ["models.example.com"]
                """).recipe().orElseThrow();

        assertThat(recipe.command()).isEqualTo("tiny");
        assertThat(recipe.budget()).isEqualTo(AgentRecipe.BUDGET);
        assertThat(recipe.yolo()).containsExactly("--go");
        assertThat(recipe.env()).containsEntry("CI", "1");
        assertThat(recipe.logins().getFirst().places()).containsExactly("header:authorization");
    }

    @Test
    void everyMistakeIsNamedWithItsPlace() {
        assertThat(mistakes(
                        "schema = \"x\"\nname = \"List\"\ncolour = 1\nbudget = \"much\"\n[[login]]\nname = \"k\"\n"))
                .anyMatch(text -> text.startsWith("tiny.toml:1:1: the first line of a recipe"))
                .anyMatch(text -> text.startsWith("tiny.toml:2:1: a name has"))
                .anyMatch(text -> text.startsWith("tiny.toml:3:1: unknown key colour"))
                .anyMatch(text -> text.startsWith("tiny.toml:4:1: a budget is"))
                .anyMatch(text -> text.startsWith("tiny.toml:5:1: a login goes to named hosts"))
                .anyMatch(text -> text.contains("variable is where"));
    }

    @Test
    void wordsOfTheCommandItselfAreNoNames() {
        assertThat(mistakes("schema = \"capsem.agent.v1\"\nname = \"list\"\n"))
                .containsExactly("tiny.toml:2:1: `capsem agent list` is a command already.");
    }

    @Test
    void pathsStayWhereTheyAreMeant() {
        assertThat(mistakes(HEAD + "places = [\"bin\"]")).hasSize(1);
        assertThat(mistakes(HEAD + "command = \"../x\"")).hasSize(1);
        assertThat(mistakes(HEAD + "[[settings]]\nfile = \"../.ssh/id\"\nwhole = true"))
                .hasSize(1);
        assertThat(mistakes(HEAD + "[[settings]]\nfile = \"/etc/x\"\nwhole = true"))
                .hasSize(1);
        assertThat(mistakes(HEAD + "[[settings]]\nfile = \".x\"")).hasSize(1);
        assertThat(mistakes(HEAD + "hosts = [\"https://x\"]")).hasSize(1);
    }

    @Test
    void listsHaveALimit() {
        String many = IntStream.rangeClosed(0, RecipeReader.LIST_MAX)
                .mapToObj(i -> "\"h" + i + ".example.com\"")
                .collect(Collectors.joining(", "));

        assertThat(mistakes(HEAD + "hosts = [" + many + "]"))
                .singleElement()
                .asString()
                .contains("more than 64");
    }

    @Test
    void theShippedRecipesAreRight(@TempDir Path home) {
        assertThat(new RecipeShelf(home).all())
                .hasSize(RecipeShelf.SHIPPED.size())
                .allSatisfy(entry -> {
                    assertThat(entry.reading().problems()).as(entry.name()).isEmpty();
                    assertThat(entry.reading().recipe().orElseThrow().name()).isEqualTo(entry.name());
                    assertThat(entry.own()).isFalse();
                });
    }

    @Test
    void aRecipeOfTheUsersStandsInFront(@TempDir Path home) {
        var shelf = new RecipeShelf(home);

        shelf.add("claude", "schema = \"capsem.agent.v1\"\nname = \"claude\"\ntitle = \"Mine\"\n");

        assertThat(shelf.find("claude")).hasValueSatisfying(entry -> {
            assertThat(entry.own()).isTrue();
            assertThat(entry.reading().recipe().orElseThrow().title()).isEqualTo("Mine");
        });
        assertThat(shelf.find("../x")).isEmpty();
        assertThat(shelf.find("none")).isEmpty();
    }
}
