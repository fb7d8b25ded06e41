package dev.capsem.cli.mcp;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.command.RemoveMany;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `capsem mcp remove`
@Command(footer = {"", "Examples:", "  capsem mcp remove docs"})
public final class McpRemoveCommand extends PrintingCommand {
    @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of servers.")
    List<String> names = new ArrayList<>();

    public McpRemoveCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return many(words, given -> names = given);
    }

    @Override
    public int run() {
        return new RemoveMany(context, output).at("/mcp/connectors/", names, "removed");
    }
}
