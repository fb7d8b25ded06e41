package dev.capsem.cli.mcp;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `capsem mcp tools`
@Command(
        footer = {
            "",
            "A tool that is new or changed is asked about before it runs: capsem mcp diff shows why, capsem",
            "mcp approve agrees to it.",
            "",
            "Examples:",
            "  capsem mcp tools brave-otter-tmp",
            "  capsem mcp tools brave-otter-tmp --server docs"
        })
public final class McpToolsCommand extends PrintingCommand {
    @Option(names = "--server", paramLabel = "NAME", description = "Only the tools of this server.")
    Optional<String> server = Optional.empty();

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name or id of the sandbox.")
    String session = "";

    public McpToolsCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> session = word);
    }

    @Override
    public int run() {
        ToolReport report = ToolReport.ask(context, session, server);
        if (output.isJson()) {
            output.print(context.screen(), report.json());
            return ExitCode.DONE;
        }
        report.printTools(context.screen());
        if (!output.isQuiet()) {
            context.screen().out().flush();
            report.printProblems(context.screen());
        }
        return ExitCode.DONE;
    }
}
