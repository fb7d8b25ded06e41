package dev.capsem.cli.connectors;

import dev.capsem.cli.CapsemCommand;
import dev.capsem.cli.CliContext;
import dev.capsem.cli.ExitCode;
import dev.capsem.cli.OutputOptions;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
public final class McpToolsCommand implements CapsemCommand {
    @Mixin
    OutputOptions output = new OutputOptions();

    @Option(names = "--server", paramLabel = "NAME", description = "Only the tools of this server.")
    Optional<String> server = Optional.empty();

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name or id of the sandbox.")
    String session = "";

    private final CliContext context;

    public McpToolsCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public boolean takePlain(OutputOptions given, List<String> words) {
        output = given;
        session = words.isEmpty() ? "" : words.getFirst();
        return words.size() == 1;
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
