package dev.capsem.cli.budget;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.client.io.RequestTarget;
import dev.capsem.wire.json.Json;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `capsem budget reset`
@Command(
        footer = {
            "",
            "Forgets what was spent in the window that runs. What is set aside for calls under way stays.",
            "",
            "Examples:",
            "  capsem budget reset daily",
            "  capsem budget reset own --sandbox lab"
        })
public final class BudgetResetCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "Name of the budget.")
    String name = "";

    @Option(
            names = "--sandbox",
            paramLabel = "SANDBOX",
            description = "Whose, where each sandbox has a sum of its own: windows run and session, and --budget.")
    Optional<String> sandbox = Optional.empty();

    public BudgetResetCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> name = word);
    }

    @Override
    public int run() {
        ObjectNode body = Json.object();
        sandbox.ifPresent(id -> body.put("sandbox", id));
        JsonNode reply = context.service().post(new RequestTarget("budgets", name, "reset").toString(), body);
        if (output.isJson()) {
            output.print(context.screen(), reply);
        } else if (!output.isQuiet()) {
            context.screen()
                    .remark("the budget " + name + " has "
                            + reply.path("left_text").asString("") + " of "
                            + reply.path("limit_text").asString("") + " left");
        }
        return ExitCode.DONE;
    }
}
