package dev.capsem.cli.mcp;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ListTable;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import dev.capsem.cli.screen.Table;
import dev.capsem.wire.json.JsonMembers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;

/// `capsem mcp list`
@Command(footer = {"", "Secrets are never shown.", "", "Examples:", "  capsem mcp list"})
public final class McpListCommand extends PrintingCommand {
    public McpListCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return words.isEmpty();
    }

    @Override
    public int run() {
        var obstacles = new ArrayList<String>();
        int exitCode = new ListTable(
                        context.service().get("/mcp/connectors"),
                        "servers",
                        "id",
                        "no MCP servers; add one: capsem mcp add FILE")
                .print(
                        context,
                        output,
                        Table.of("NAME", "STATE", "TYPE", "FROM", "WHERE")
                                .yielding(4)
                                .expendable(3, 2),
                        (table, entry) -> add(table, entry, obstacles));
        Screen screen = context.screen();
        obstacles.forEach(what -> screen.remark(screen.errInk().yellow("! ") + Printable.line(what)));
        return exitCode;
    }

    private static void add(Table table, JsonMembers entry, List<String> obstacles) {
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
}
