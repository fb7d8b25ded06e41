package dev.capsem.cli.mcp;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Printable;
import dev.capsem.client.io.ServiceClient;
import dev.capsem.wire.json.Json;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// `capsem mcp approve`
@Command(
        footer = {
            "",
            "Agrees to tools exactly as they are now; the next change is asked about again. Look first:",
            "capsem mcp diff.",
            "",
            "Examples:",
            "  capsem mcp approve brave-otter-tmp docs__search",
            "  capsem mcp approve brave-otter-tmp --all"
        })
public final class McpApproveCommand extends PrintingCommand {
    @Option(names = "--all", description = "All new or changed tools.")
    boolean all;

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name or id of the sandbox.")
    String session = "";

    @Parameters(index = "1..*", paramLabel = "TOOL", description = "Names of tools, as shown by `capsem mcp tools`.")
    List<String> names = new ArrayList<>();

    public McpApproveCommand(CliContext context) {
        super(context);
    }

    @Override
    public int run() {
        if (names.isEmpty() != all) {
            throw CliProblem.usage(
                    all ? "--all is for no tool in particular" : "which tools?",
                    "capsem mcp approve " + Printable.line(session) + " TOOL…, or --all");
        }
        ObjectNode request = Json.object();
        if (all) {
            request.put("all", true);
        } else {
            ArrayNode tools = request.putArray("tools");
            names.forEach(tools::add);
        }
        JsonNode reply = context.service().post("/mcp/tools/" + ServiceClient.encode(session) + "/approve", request);
        if (output.isJson()) {
            output.print(context.screen(), reply);
        } else if (!output.isQuiet()) {
            context.screen().print(all ? "approved all tools" : "approved " + Printable.line(String.join(", ", names)));
        }
        return ExitCode.DONE;
    }
}
