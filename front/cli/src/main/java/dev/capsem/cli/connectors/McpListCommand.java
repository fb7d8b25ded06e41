package dev.capsem.cli.connectors;

import dev.capsem.cli.CapsemCommand;
import dev.capsem.cli.CliContext;
import dev.capsem.cli.ExitCode;
import dev.capsem.cli.OutputOptions;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import dev.capsem.cli.screen.Table;
import dev.capsem.wire.json.JsonMembers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/// `capsem mcp list`
@Command(footer = {"", "Secrets are never shown.", "", "Examples:", "  capsem mcp list"})
public final class McpListCommand implements CapsemCommand {
    @Mixin
    OutputOptions output = new OutputOptions();

    private final CliContext context;

    public McpListCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public boolean takePlain(OutputOptions given, List<String> words) {
        output = given;
        return words.isEmpty();
    }

    @Override
    public int run() {
        Screen screen = context.screen();
        JsonNode reply = context.service().get("/mcp/connectors");
        if (output.isJson()) {
            output.print(screen, reply);
            return ExitCode.DONE;
        }
        List<JsonMembers> servers = JsonMembers.of(reply, "").objects("servers");
        if (servers.isEmpty()) {
            screen.remark("no MCP servers; add one: capsem mcp add FILE");
            return ExitCode.DONE;
        }
        var table =
                Table.of("NAME", "STATE", "TYPE", "FROM", "WHERE").yielding(4).expendable(3, 2);
        var obstacles = new ArrayList<String>();
        for (JsonMembers entry : servers) {
            JsonMembers server = entry.object("server");
            boolean isOn = server.optionalObject("capsem")
                            .map(capsem -> capsem.flag("enabled", true))
                            .orElse(true)
                    && server.flag("enabled", true);
            Optional<String> obstacle = server.optionalText("obstacle").or(() -> entry.optionalText("obstacle"));
            obstacle.ifPresent(what -> obstacles.add(entry.text("id") + ": " + what));
            table.add(
                    entry.text("id"),
                    obstacle.isPresent() ? "cannot start" : isOn ? "on" : "off",
                    server.optionalText("type").orElse(server.has("command") ? "stdio" : "http"),
                    entry.optionalText("source").orElse(""),
                    server.optionalText("url")
                            .orElseGet(() -> server.optionalText("command").orElse("")));
        }
        table.printTo(screen);
        obstacles.forEach(what -> screen.remark(screen.errInk().yellow("! ") + Printable.line(what)));
        return ExitCode.DONE;
    }
}
