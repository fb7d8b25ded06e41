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

/// `capsem budget raise`
@Command(
        footer = {
            "",
            "Lets more be spent in the window that runs; the next one has the limit of the profile again.",
            "A budget of your company is raised by your company.",
            "",
            "Examples:",
            "  capsem budget raise daily 5usd",
            "  capsem budget raise own 2usd --sandbox lab"
        })
public final class BudgetRaiseCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "Name of the budget.")
    String name = "";

    @Parameters(index = "1", paramLabel = "AMOUNT", description = "By how much: like 5usd, 200000tokens, 50requests.")
    String by = "";

    @Option(
            names = "--sandbox",
            paramLabel = "SANDBOX",
            description = "Whose, where each sandbox has a sum of its own: windows run and session, and --budget.")
    Optional<String> sandbox = Optional.empty();

    public BudgetRaiseCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        if (words.size() != 2) {
            return false;
        }
        name = words.get(0);
        by = words.get(1);
        return true;
    }

    @Override
    public int run() {
        ObjectNode body = Json.object();
        body.put("by", by);
        sandbox.ifPresent(id -> body.put("sandbox", id));
        JsonNode reply = context.service().post(new RequestTarget("budgets", name, "raise").toString(), body);
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
