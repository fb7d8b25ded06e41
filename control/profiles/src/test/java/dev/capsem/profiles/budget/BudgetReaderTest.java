package dev.capsem.profiles.budget;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.budget.Budget;
import dev.capsem.events.budget.BudgetAmount;
import dev.capsem.events.budget.BudgetUnit;
import dev.capsem.events.budget.BudgetWindow;
import dev.capsem.profiles.file.Entry.BudgetEntry;
import dev.capsem.profiles.file.ProfileReader;
import dev.capsem.profiles.file.Reading;
import dev.capsem.source.Layer;
import dev.capsem.source.SourceText;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BudgetReaderTest {
    private static final String HEAD = "schema = \"capsem.profile.v2\"\nid = \"mine\"\n";
    private static final String DAILY = """
            [[budget]]
            name = "daily"
            match = 'model.request.model == "m"'
            limit = "20.50usd"
            window = "day"
            zone = "Europe/Berlin"
            soft = 80
            then = "stop"
            unpriced = "count-tokens"
            """;

    private static Reading reading(String text) {
        return ProfileReader.read(new SourceText("mine.toml", Layer.USER, HEAD + text));
    }

    private static List<Budget> read(String text) {
        return ((Reading.Valid) reading(text))
                .profile().entries().stream()
                        .filter(BudgetEntry.class::isInstance)
                        .map(entry -> ((BudgetEntry) entry).budget())
                        .toList();
    }

    @Test
    void readsEverythingOfABudget() {
        Budget budget = read(DAILY).getFirst();

        assertThat(budget.name()).isEqualTo("daily");
        assertThat(budget.match()).contains("model.request.model == \"m\"");
        assertThat(budget.limit()).isEqualTo(new BudgetAmount(BudgetUnit.USD, 20_500_000));
        assertThat(budget.window()).isEqualTo(BudgetWindow.DAY);
        assertThat(budget.zone()).isEqualTo(ZoneId.of("Europe/Berlin"));
        assertThat(budget.softPercent()).hasValue(80);
        assertThat(budget.then()).isEqualTo(Budget.Then.STOP);
        assertThat(budget.unpriced()).isEqualTo(Budget.Unpriced.COUNT_TOKENS);
    }

    @Test
    void asksAndBlocksUnpricedCallsIfItSaysNothing() {
        Budget budget = read("[[budget]]\nname = \"b\"\nlimit = \"5usd\"\n").getFirst();

        assertThat(budget.window()).isEqualTo(BudgetWindow.SESSION);
        assertThat(budget.then()).isEqualTo(Budget.Then.ASK);
        assertThat(budget.unpriced()).isEqualTo(Budget.Unpriced.BLOCK);
    }

    @Test
    void writesWhatItReads() {
        Budget budget = read(DAILY).getFirst();

        assertThat(read(BudgetJson.toml(budget))).containsExactly(budget);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "name = \"a b\"|a budget has a name of",
                "name = \"own\"|own is the name of what --budget sets",
                "limit = \"5 eur\"|limit is a number and usd",
                "limit = 5|limit is a number and usd",
                "window = \"year\"|window is \"run\", \"session\"",
                "zone = \"Nowhere\"|zone is the name of a time zone",
                "soft = 101|soft is from 1 to 100",
                "then = \"kill\"|then is \"warn\", \"ask\" or \"stop\"",
                "unpriced = \"guess\"|unpriced is \"count-tokens\" or \"block\"",
                "cut = true|unknown key budget.cut"
            })
    void namesTheLineThatIsWrong(String line, String message) {
        String key = line.substring(0, line.indexOf(' '));
        String text = "[[budget]]\n"
                + (key.equals("name") ? "" : "name = \"b\"\n")
                + (key.equals("limit") ? "" : "limit = \"5usd\"\n")
                + line + "\n";

        assertThat(reading(text))
                .isInstanceOfSatisfying(
                        Reading.Invalid.class,
                        invalid -> assertThat(invalid.problems()).anySatisfy(problem -> {
                            assertThat(problem.message()).contains(message);
                            assertThat(problem.place().line()).isGreaterThan(2);
                        }));
    }

    @Test
    void refusesTwoOfOneNameAndAPriceOfTokens() {
        assertThat(reading(DAILY + DAILY)).isInstanceOf(Reading.Invalid.class);
        assertThat(reading("[[budget]]\nname = \"b\"\nlimit = \"5 tokens\"\nunpriced = \"block\"\n"))
                .isInstanceOf(Reading.Invalid.class);
    }
}
