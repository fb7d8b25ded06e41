package dev.capsem.cli;

import dev.capsem.cli.command.CommandEntry;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// `docs/reference/cli.md` is what `--help` says, never something else.
class ReferenceTest {
    @Test
    void referenceIsTheHelpOfEveryCommand() {
        var cli = new CliHarness();
        var text = new StringBuilder("""
                # The capsem command line

                Generated from `capsem --help` and `capsem COMMAND --help`; regenerate with
                `mvn test -pl front/cli -am -Dgolden.update`.

                ```text
                %s```
                """.formatted(cli.run("--help").out()));
        for (CommandEntry entry : CommandTable.ENTRIES) {
            text.append("\n## capsem %s\n\n".formatted(entry.name()));
            entry.aliases().forEach(alias -> text.append("Also: `capsem %s`.\n\n".formatted(alias)));
            String help = cli.run((entry.name() + " --help").split(" ")).out();
            text.append("```text\n%s```\n".formatted(help));
        }

        Golden.check(Path.of("../../docs/reference/cli.md"), text.toString());
    }
}
