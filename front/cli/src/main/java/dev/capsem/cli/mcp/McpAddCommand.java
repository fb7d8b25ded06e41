package dev.capsem.cli.mcp;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.rules.SourceFile;
import dev.capsem.cli.screen.Printable;
import dev.capsem.client.io.ServiceCallException;
import dev.capsem.wire.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// `capsem mcp add`
@Command(
        footer = {
            "",
            "Takes what READMEs show: {\"mcpServers\": {…}} or one entry. Credentials go into the secret store",
            "(capsem secret set NAME) and stand in the entry as $${secret:NAME}; an entry with a plain one is",
            "refused. A server with a command needs to say what it may do: --allow.",
            "",
            "Examples:",
            "  capsem mcp add servers.json",
            "  echo '{\"url\":\"https://docs.example.com/mcp\"}' | capsem mcp add - --name docs",
            "  capsem mcp add github.json --allow net:connect:api.github.com:443 --tool get_issue"
        })
public final class McpAddCommand extends PrintingCommand {
    @Option(names = "--name", paramLabel = "NAME", description = "Its name: lower-case letters, digits, . _ and -.")
    Optional<String> name = Optional.empty();

    @Option(names = "--profile", paramLabel = "ID", description = "The profile to add to (default: the one in use).")
    Optional<String> profile = Optional.empty();

    @Option(
            names = "--allow",
            paramLabel = "CAPABILITY",
            description = "A capability of a server with a command, in capgate's form; may be repeated.")
    List<String> capabilities = new ArrayList<>();

    @Option(names = "--tool", paramLabel = "TOOL", description = "Only this tool of the server; may be repeated.")
    List<String> tools = new ArrayList<>();

    @Parameters(index = "0", paramLabel = "FILE", description = "JSON with MCP servers, or - for stdin.")
    String file = "";

    public McpAddCommand(CliContext context) {
        super(context);
    }

    @Override
    public int run() {
        Map<String, ObjectNode> servers =
                PublishedServers.read(SourceFile.read(context, file).text(), name);
        servers.forEach(McpAddCommand::refusePlainCredential);
        servers.forEach(this::refuseUnlimited);
        ArrayNode replies = Json.array();
        servers.forEach((id, server) -> {
            replies.add(add(id, server));
            if (!output.isJson() && !output.isQuiet()) {
                context.screen().print("added " + Printable.line(id));
            }
        });
        if (output.isJson()) {
            output.print(context.screen(), replies.size() == 1 ? replies.get(0) : replies);
        } else if (!output.isQuiet()) {
            context.screen().remark("running sandboxes see it after: capsem reload");
        }
        return ExitCode.DONE;
    }

    private static void refusePlainCredential(String id, ObjectNode server) {
        PublishedServers.plainCredential(server).ifPresent(member -> {
            String secret = id + "-token";
            throw CliProblem.usage(
                    Printable.line(id) + ": " + Printable.line(member) + " holds a credential",
                    "keep it: capsem secret set " + Printable.line(secret) + ", and write ${secret:"
                            + Printable.line(secret) + "} in its place");
        });
    }

    /// A program that is allowed nothing cannot even start: it would be kept, and be off.
    private void refuseUnlimited(String id, ObjectNode server) {
        boolean saysWhat = !capabilities.isEmpty()
                || !server.path("capsem").path("capabilities").isEmpty();
        boolean isOff = server.path("disabled").asBoolean(false)
                || !server.path("enabled").asBoolean(true);
        if (server.has("command") && !saysWhat && !isOff) {
            String program = server.path("command").asString("PROGRAM");
            throw CliProblem.usage(
                    Printable.line(id) + " is a program, and nothing says what it may do",
                    "say it: `capsem mcp add " + Printable.line(file) + " --allow 'exec:spawn:"
                            + Printable.line(program)
                            + "' --allow 'net:connect:HOST:443'`; docs/profiles.md has all capabilities");
        }
    }

    private JsonNode add(String id, ObjectNode server) {
        try {
            return context.service().post("/mcp/connectors", request(id, server));
        } catch (ServiceCallException refused) {
            if (!refused.error().code().equals("server_exists")) {
                throw refused;
            }
            throw CliProblem.of(
                    "server_exists",
                    "there is a server " + Printable.line(id) + " already",
                    "replace it: `capsem mcp remove " + Printable.line(id) + " && capsem mcp add "
                            + Printable.line(file) + "`, or choose another name: --name");
        }
    }

    private ObjectNode request(String id, ObjectNode server) {
        ObjectNode request = Json.object().put("id", id);
        profile.ifPresent(chosen -> request.put("profile", chosen));
        request.setAll(server);
        if (!capabilities.isEmpty() || !tools.isEmpty()) {
            ObjectNode capsem = request.get("capsem") instanceof ObjectNode given ? given : request.putObject("capsem");
            putAll(capsem, "capabilities", capabilities);
            putAll(capsem, "allowed_tools", tools);
        }
        return request;
    }

    private static void putAll(ObjectNode capsem, String member, List<String> values) {
        if (!values.isEmpty()) {
            ArrayNode array = capsem.putArray(member);
            values.forEach(array::add);
        }
    }
}
