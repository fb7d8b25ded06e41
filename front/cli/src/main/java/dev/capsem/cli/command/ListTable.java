package dev.capsem.cli.command;

import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import dev.capsem.cli.screen.Table;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.function.BiConsumer;
import tools.jackson.databind.JsonNode;

/// A list from the service: unchanged with `--json`, names only with `-q`, otherwise a table.
///
/// @param member of the reply that holds the list
/// @param name member of an entry that names it
/// @param whenEmpty says that there are none, and how to make one
public record ListTable(JsonNode reply, String member, String name, String whenEmpty) {
    public int print(CliContext context, OutputOptions output, Table table, BiConsumer<Table, JsonMembers> row) {
        Screen screen = context.screen();
        if (output.isJson()) {
            output.print(screen, reply);
            return ExitCode.DONE;
        }
        List<JsonMembers> entries = JsonMembers.of(reply, "").objects(member);
        if (output.isQuiet()) {
            entries.forEach(entry -> screen.print(Printable.line(entry.text(name))));
        } else if (entries.isEmpty()) {
            screen.remark(whenEmpty);
        } else {
            entries.forEach(entry -> row.accept(table, entry));
            table.printTo(screen);
        }
        return ExitCode.DONE;
    }
}
