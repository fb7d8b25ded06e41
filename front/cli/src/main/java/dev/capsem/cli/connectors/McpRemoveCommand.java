package dev.capsem.cli.connectors;

import dev.capsem.cli.CapsemCommand;
import dev.capsem.cli.CliContext;
import dev.capsem.cli.ExitCode;
import dev.capsem.cli.OutputOptions;
import dev.capsem.cli.screen.Printable;
import dev.capsem.wire.io.ServiceClient;
import dev.capsem.wire.json.Json;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ArrayNode;

/// `capsem mcp remove`
@Command(footer = {"", "Examples:", "  capsem mcp remove docs"})
public final class McpRemoveCommand implements CapsemCommand {
    @Mixin
    OutputOptions output = new OutputOptions();

    @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of servers.")
    List<String> names = new ArrayList<>();

    private final CliContext context;

    public McpRemoveCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public boolean takePlain(OutputOptions given, List<String> words) {
        output = given;
        names = words;
        return !words.isEmpty();
    }

    @Override
    public int run() {
        ArrayNode replies = Json.array();
        for (String name : names) {
            replies.add(context.service().remove("/mcp/connectors/" + ServiceClient.encode(name)));
            if (!output.isJson() && !output.isQuiet()) {
                context.screen().print("removed " + Printable.line(name));
            }
        }
        if (output.isJson()) {
            output.print(context.screen(), replies.size() == 1 ? replies.get(0) : replies);
        }
        return ExitCode.DONE;
    }
}
