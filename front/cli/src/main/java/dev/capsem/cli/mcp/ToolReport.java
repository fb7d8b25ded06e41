package dev.capsem.cli.mcp;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Progress;
import dev.capsem.cli.screen.Screen;
import dev.capsem.cli.screen.Table;
import dev.capsem.client.io.ServiceClient;
import dev.capsem.wire.aggregator.ServerStatus;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// The MCP servers and tools of a running sandbox, as its process knows them.
record ToolReport(JsonNode json, List<Server> servers, List<Tool> tools) {
    private static final int DESCRIPTION_MAX = 60;

    /// @param problem why it is not connected
    record Server(
            String name,
            boolean isConnected,
            boolean isEnabled,
            long tools,
            long resources,
            long prompts,
            Optional<String> problem,
            Optional<String> ended,
            List<String> log,
            List<String> refused) {
        boolean isConnecting() {
            return !isConnected && problem.equals(Optional.of(ServerStatus.CONNECTING));
        }
    }

    /// @param state `approved`, `new`, `changed` or `removed`
    /// @param diff lines against what was approved
    /// @param reason why a person is asked
    record Tool(
            String name, String server, String description, String state, List<String> diff, Optional<String> reason) {
        boolean isWaiting() {
            return state.equals("new") || state.equals("changed");
        }
    }

    static ToolReport of(JsonNode reply) {
        JsonMembers members = JsonMembers.of(reply, "");
        return new ToolReport(
                reply,
                members.objects("servers").stream()
                        .map(server -> new Server(
                                server.text("name"),
                                server.flag("connected", false),
                                server.flag("enabled", true),
                                server.number("tool_count", 0),
                                server.number("resource_count", 0),
                                server.number("prompt_count", 0),
                                server.optionalText("error"),
                                server.optionalText("ended"),
                                server.texts("log"),
                                server.texts("refused")))
                        .toList(),
                members.objects("tools").stream()
                        .map(tool -> new Tool(
                                tool.text("name"),
                                tool.text("server_name"),
                                tool.optionalText("description").orElse(""),
                                tool.text("state"),
                                tool.texts("diff"),
                                tool.optionalText("reason")))
                        .toList());
    }

    /// Connects where that is needed, lists, calls nothing.
    static ToolReport ask(CliContext context, String session, Optional<String> server) {
        String query =
                server.map(name -> "?server=" + ServiceClient.encode(name)).orElse("");
        try (var _ = Progress.of(context.screen(), "listing tools")) {
            return of(context.service().get("/mcp/tools/" + ServiceClient.encode(session) + query));
        }
    }

    List<Tool> waiting() {
        return tools.stream().filter(Tool::isWaiting).toList();
    }

    void printTools(Screen screen) {
        if (tools.isEmpty()) {
            screen.remark("no tools");
            return;
        }
        Ink ink = screen.outInk();
        var table = Table.of("TOOL", "STATE", "DESCRIPTION")
                .cut(2, DESCRIPTION_MAX)
                .yielding(2)
                .expendable(2)
                .painted(1, state -> state.startsWith("approved") ? state : ink.yellow(state));
        for (Tool tool : tools) {
            table.add(
                    tool.name(),
                    tool.state(),
                    tool.description().lines().findFirst().orElse(""));
        }
        table.printTo(screen);
    }

    void printServers(Screen screen) {
        if (servers.isEmpty()) {
            screen.remark("no MCP servers; add one: capsem mcp add FILE");
            return;
        }
        Ink ink = screen.outInk();
        var table = Table.of("SERVER", "STATE", ">TOOLS", ">RESOURCES", ">PROMPTS")
                .expendable(4, 3)
                .painted(1, state -> state.startsWith("not") ? ink.red(state) : state);
        for (Server server : servers) {
            table.add(
                    server.name(),
                    server.isConnected() ? "connected" : server.isEnabled() ? "not connected" : "off",
                    Long.toString(server.tools()),
                    Long.toString(server.resources()),
                    Long.toString(server.prompts()));
        }
        table.printTo(screen);
    }

    /// Of servers that do not work, why.
    void printProblems(Screen screen) {
        for (Server server : servers) {
            String ended = server.ended().map(how -> " (" + how + ")").orElse("");
            server.problem()
                    .ifPresent(problem -> screen.remark(
                            screen.errInk().yellow("! ") + Printable.line(server.name() + ": " + problem + ended)));
            server.log().forEach(line -> screen.remark("    " + Printable.line(line)));
        }
    }

    /// Refused requests of programs, as capabilities that could be granted.
    void printRefusals(Screen screen) {
        for (Server server : servers) {
            if (server.refused().isEmpty()) {
                continue;
            }
            screen.print(Printable.line(server.name()) + " was refused:");
            server.refused().forEach(capability -> screen.print("  --allow " + Printable.line(capability)));
            String name = Printable.line(server.name());
            screen.remark("grant it: capsem mcp add FILE --name " + name + " --allow …, or add it to the capabilities"
                    + " of [mcpServers." + name + ".capsem] in the profile");
        }
    }

    /// @param names of tools; all that wait if empty
    void printDiff(Screen screen, List<String> names) {
        Ink ink = screen.outInk();
        for (Tool tool : names.isEmpty()
                ? waiting()
                : tools.stream().filter(tool -> names.contains(tool.name())).toList()) {
            screen.print(ink.bold(Printable.line(tool.name())) + "  " + tool.state()
                    + tool.reason().map(why -> "  " + Printable.line(why)).orElse(""));
            for (String line : tool.diff()) {
                String shown = Printable.line(line);
                screen.print("  "
                        + (line.startsWith("+") ? ink.green(shown) : line.startsWith("-") ? ink.red(shown) : shown));
            }
        }
    }
}
