package dev.capsem.source.tree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.source.Layer;
import dev.capsem.source.Problem;
import dev.capsem.source.Problems;
import dev.capsem.source.SourceText;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TomlTreeTest {
    private final Problems problems = new Problems();

    private Optional<TomlTree> parse(String text) {
        return TomlTree.parse(new SourceText("x.toml", Layer.USER, text), problems);
    }

    @Test
    void everyValueKnowsItsPlace() {
        Fields fields = parse("""
                name = "a"

                [vm]
                  cpus = "many"
                """).orElseThrow().fields(problems);

        assertThat(fields.place("name")).hasToString("x.toml:1:1");
        assertThat(fields.table("vm").orElseThrow().integer("cpus")).isEmpty();
        assertThat(problems.list())
                .extracting(Problem::toString)
                .containsExactly("x.toml:4:3: vm.cpus is a whole number.");
    }

    @Test
    void allThatIsNotTomlIsNamedWithItsPlace() {
        assertThat(parse("a = 1\nb = \nc = [\n")).isEmpty();
        assertThat(problems.list()).isNotEmpty().allMatch(Problem::isError);
        assertThat(problems.list().getFirst().toString())
                .startsWith("x.toml:2:")
                .contains("not TOML: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a = [", "a = {b="})
    void textThatIsNestedTooDeeplyIsAProblemAndNoCrash(String opening) {
        String text = opening + opening.substring(4).repeat(200_000);

        assertThat(parse(text)).isEmpty();
        assertThat(problems.hasErrors()).isTrue();
    }

    @Test
    void aTextThatIsTooLargeIsNotParsed() {
        assertThat(parse("#".repeat(1024 * 1024 + 1))).isEmpty();
        assertThat(problems.list())
                .extracting(Problem::message)
                .containsExactly("the source is larger than 1048576 characters.");
    }

    @Test
    void tablesAreCutOutByLines() {
        String text = "a = 1\n[x]\nb = 2\n\n[y]\nc = 3\n";
        TomlTree tree = parse(text).orElseThrow();
        Fields x = tree.fields(problems).table("x").orElseThrow();

        assertThat(tree.hasHeader(x.members())).isTrue();
        assertThat(tree.lines(x.members())).isEqualTo("[x]\nb = 2\n");
        assertThat(tree.without(java.util.List.of(x.members()))).isEqualTo("a = 1\n[y]\nc = 3\n");
    }
}
