package dev.capsem.cli.agent;

import dev.capsem.cli.agent.recipe.RecipeShelf;
import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Printable;
import dev.capsem.wire.json.Json;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `capsem agent show`
@Command(
        footer = {
            "",
            "Prints the recipe as it is written: a good beginning for one of your own. Mistakes go to stderr, and",
            "the exit code is then 1.",
            "",
            "Examples:",
            "  capsem agent show claude",
            "  capsem agent show claude > my-agent.toml"
        })
public final class AgentShowCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The agent.")
    String name = "";

    public AgentShowCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> name = word);
    }

    @Override
    public int run() {
        RecipeShelf.Entry entry = AgentHome.of(context)
                .shelf()
                .find(name)
                .orElseThrow(() -> CliProblem.usage(
                        "there is no agent \"" + Printable.line(name) + "\"",
                        "see which there are: `capsem agent list`"));
        if (output.isJson()) {
            output.print(
                    context.screen(),
                    Json.object()
                            .put("name", name)
                            .put("own", entry.own())
                            .put("text", entry.source().text()));
        } else {
            entry.source().text().lines().forEach(line -> context.screen().print(Printable.text(line)));
        }
        entry.reading().problems().forEach(problem -> context.screen().remark(Printable.text(problem.toString())));
        return entry.reading().recipe().isPresent() ? ExitCode.DONE : ExitCode.NO;
    }
}
