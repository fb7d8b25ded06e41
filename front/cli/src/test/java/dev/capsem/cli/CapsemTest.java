package dev.capsem.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.CliHarness.Outcome;
import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CommandEntry;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Screen.Terminals;
import dev.capsem.client.io.ServiceCallException;
import dev.capsem.testkit.service.FakeService;
import dev.capsem.wire.service.ServiceError;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CapsemTest {
    private final CliHarness cli = new CliHarness();

    @ParameterizedTest
    @ValueSource(strings = {"", "--help", "-h", "help"})
    void listsCommandsWhenNothingElseIsAsked(String word) {
        Outcome outcome = word.isEmpty() ? cli.run() : cli.run(word);

        assertThat(outcome.exitCode()).isZero();
        Golden.check("commands.txt", outcome.out());
    }

    @Test
    void helpOfACommandIsTheSameBothWays() {
        assertThat(cli.run("help", "run")).isEqualTo(cli.run("run", "--help"));
    }

    @Test
    void anUnknownCommandIsAUsageMistakeWithASuggestion() {
        Outcome outcome = cli.run("lits");

        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err()).contains("no command \"lits\"").contains("capsem list");
        assertThat(outcome.out()).isEmpty();
    }

    @Test
    void wordsOfOtherProgramsLeadToOurs() {
        assertThat(cli.run("ps").err()).contains("`capsem list`");
        assertThat(cli.run("port").err()).contains("from within");
        assertThat(cli.run("doctor").err()).contains("`capsem status`");
        assertThat(cli.run("aider").err()).contains("`capsem run -t --workspace . -- aider`");
        assertThat(cli.run("aider").exitCode()).isEqualTo(2);
    }

    @Test
    void aWordThatTheServiceCannotTakeIsAUsageMistake() {
        cli.service.refusal = Optional.of(
                new ServiceCallException(422, new ServiceError("cpus must be 1 to 8", "bad_limit", "ask for less")));

        assertThat(cli.run("create", "--cpu", "99").exitCode()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bad_query", "bad_sql", "wrong_shape"})
    void soIsAWordThatItCannotRead(String code) {
        cli.service.refusal = Optional.of(
                new ServiceCallException(400, new ServiceError("there is no such word", code, "use another")));

        assertThat(cli.run("create").exitCode()).isEqualTo(2);
    }

    @Test
    void anOptionBeforeTheCommandIsToldWhereItBelongs() {
        Outcome outcome = cli.run("--json", "list");

        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err()).contains("options come after the command");
    }

    @Test
    void anUnknownOptionIsAUsageMistakeThatPointsToHelp() {
        Outcome outcome = cli.run("list", "--no-such-flag");

        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err()).contains("--no-such-flag").contains("capsem list --help");
    }

    @Test
    void whatTheServiceRefusesIsToldWithCodeCauseAndRemedy() {
        Outcome outcome = cli.run("info", "nobody");

        assertThat(outcome.exitCode()).isEqualTo(125);
        assertThat(outcome.err()).isEqualTo("""
                capsem: sandbox not found: nobody [sandbox_not_found]
                  → see `capsem list`
                """);
    }

    @Test
    void refusalsAreJsonWhenJsonWasAskedFor() {
        assertThat(cli.run("info", "nobody", "--json").err())
                .isEqualTo("{\"error\":\"sandbox not found: nobody\",\"code\":\"sandbox_not_found\","
                        + "\"remedy\":\"see `capsem list`\"}\n");
    }

    @Test
    void aWordOfAGuestCommandIsNoOptionOfOurs() {
        cli.service.exec = request -> FakeService.reply(0, "", "");

        cli.service.exits(0);
        cli.run("exec", "lab", "ls", "--json", "-l");

        assertThat(cli.service.started.orElseThrow().exec().command()).hasToString("Argv[words=[ls, --json, -l]]");
    }

    @Test
    void coloursAreForTerminalsAndNotForThoseWhoDeclined() {
        cli.terminals = new Terminals(false, true, true);
        assertThat(cli.run("info", "nobody").err()).contains("\u001b[31m");

        cli.environment.put("NO_COLOR", "1");
        assertThat(cli.run("info", "nobody").err()).doesNotContain("\u001b");
    }

    @Test
    void everyCommandExplainsItselfWithAnExample() {
        for (CommandEntry entry : CommandTable.ENTRIES) {
            Outcome help = cli.run((entry.name() + " --help").split(" "));

            assertThat(help.exitCode()).as(entry.name()).isZero();
            assertThat(help.out())
                    .as(entry.name())
                    .contains(entry.summary())
                    .contains("Examples:\n")
                    .contains("  capsem ");
        }
    }

    /// A line that is too long is broken by picocli, and leaves one word behind.
    @Test
    void noLineOfTheHelpIsBroken() {
        CliContext context = cli.context(new ByteArrayOutputStream(), new ByteArrayOutputStream());
        for (CommandEntry entry : CommandTable.ENTRIES) {
            var help = entry.commandLine(entry.create(context), new Ink(false));
            List<String> shown = help.getUsageMessage().lines().toList();
            for (String line : help.getCommandSpec().usageMessage().footer()) {
                assertThat(shown).as(entry.name()).contains(line.replace("$${", "${"));
            }
        }
    }

    @Test
    void everyCommandTakesJson() {
        for (CommandEntry entry : CommandTable.ENTRIES) {
            assertThat(cli.run((entry.name() + " --help").split(" ")).out())
                    .as(entry.name())
                    .contains("--json");
        }
    }
}
