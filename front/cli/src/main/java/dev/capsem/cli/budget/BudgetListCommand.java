package dev.capsem.cli.budget;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ListTable;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Table;
import dev.capsem.client.io.RequestTarget;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// `capsem budget list`
@Command(
        footer = {
            "",
            "SPENT counts calls that are over; HELD is set aside for calls under way, at the most they may cost.",
            "",
            "Examples:",
            "  capsem budget list",
            "  capsem budget list lab",
            "  capsem budget list --json | jq '.budgets[].left'"
        })
public final class BudgetListCommand extends PrintingCommand {
    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "SANDBOX",
            description = "Name or id of the sandbox (default: all that run).")
    Optional<String> sandbox = Optional.empty();

    public BudgetListCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        if (words.size() > 1) {
            return false;
        }
        sandbox = words.stream().findFirst();
        return true;
    }

    @Override
    public int run() {
        JsonNode reply = context.service()
                .get(new RequestTarget("budgets").with("sandbox", sandbox).toString());
        return new ListTable(reply, "budgets", "name", "no budgets; set one: capsem budget set NAME LIMIT")
                .print(
                        context,
                        output,
                        Table.of("NAME", "SANDBOX", "WINDOW", "THEN", ">SPENT", ">LIMIT", ">LEFT", "RESETS"),
                        (table, budget) -> table.add(
                                budget.text("name"),
                                budget.optionalText("sandbox").orElse("all"),
                                budget.text("window"),
                                budget.text("then"),
                                budget.text("spent_text"),
                                budget.text("limit_text"),
                                budget.text("left_text"),
                                budget.optionalText("resets_at").orElse("")));
    }
}
