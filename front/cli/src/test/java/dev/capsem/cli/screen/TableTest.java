package dev.capsem.cli.screen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.screen.Screen.Terminals;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TableTest {
    private static List<String> printed(Table table, int columns) {
        var out = new ByteArrayOutputStream();
        var screen = new Screen(
                InputStream.nullInputStream(),
                out,
                OutputStream.nullOutputStream(),
                Terminals.NONE,
                Map.of("COLUMNS", Integer.toString(columns)));
        table.printTo(screen);
        screen.out().flush();
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private static Table table() {
        var table =
                Table.of("", "NAME", ">SIZE", "FROM", "WHAT").key(1).yielding(4).expendable(3);
        table.add("*", "brave-otter-of-the-north", "2048 MB", "corp/company.toml", "it " + "x".repeat(150));
        table.add("", "lab", "1 MB", "user", "short");
        return table;
    }

    @Test
    void aWideScreenShowsEverything() {
        assertThat(printed(table(), 230).get(1)).contains("company.toml", "x".repeat(150));
    }

    @Test
    void columnsYieldBeforeOthersGoAndTheKeyStaysWhole() {
        assertThat(printed(table(), 80))
                .allMatch(line -> line.length() <= 80)
                .anyMatch(line -> line.contains("brave-otter-of-the-north  2048 MB  corp/company.toml  it xx"));
        assertThat(printed(table(), 60))
                .allMatch(line -> line.length() <= 60)
                .anyMatch(line -> line.contains("brave-otter-of-the-north  2048 MB  it xx"))
                .noneMatch(line -> line.contains("FROM"));
    }

    @Test
    void noRowEverTakesTwoLinesAndTheKeyIsAlwaysThere() {
        for (int columns = 10; columns <= 230; columns++) {
            List<String> lines = printed(table(), columns);
            int width = columns;

            assertThat(lines).hasSize(3).allMatch(line -> line.length() <= width);
            assertThat(lines.get(0)).contains("NAME");
            assertThat(lines.get(2)).contains("lab");
        }
    }

    @Test
    void aKeyThatIsWiderThanTheScreenIsCut() {
        var table = Table.of("PATH", ">+");
        table.add("a/" + "b".repeat(100), "1");

        assertThat(printed(table, 60)).containsExactly("PATH" + " ".repeat(53) + "  +", "a/" + "b".repeat(54) + "…  1");
    }
}
