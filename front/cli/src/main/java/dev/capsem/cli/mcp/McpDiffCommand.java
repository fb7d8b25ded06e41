package dev.capsem.cli.mcp;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `capsem mcp diff`
@Command(
        footer = {
            "",
            "Characters that do not show are spelled out.",
            "",
            "Examples:",
            "  capsem mcp diff brave-otter-tmp",
            "  capsem mcp diff brave-otter-tmp docs__search"
        })
public final class McpDiffCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name or id of the sandbox.")
    String session = "";

    @Parameters(
            index = "1..*",
            paramLabel = "TOOL",
            description = "Only these tools (default: all new or changed ones).")
    List<String> names = new ArrayList<>();

    public McpDiffCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        if (words.isEmpty()) {
            return false;
        }
        session = words.getFirst();
        names = words.subList(1, words.size());
        return true;
    }

    @Override
    public int run() {
        ToolReport report = ToolReport.ask(context, session, Optional.empty());
        if (output.isJson()) {
            output.print(context.screen(), report.json());
            return ExitCode.DONE;
        }
        report.printDiff(context.screen(), names);
        if (report.waiting().isEmpty() && !output.isQuiet()) {
            context.screen().remark("nothing is new or changed since it was approved");
        }
        return ExitCode.DONE;
    }
}
