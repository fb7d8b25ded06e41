package dev.capsem.cli.diagnose;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Progress;
import dev.capsem.cli.screen.Screen;
import dev.capsem.cli.screen.Table;
import dev.capsem.client.io.RequestTarget;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.InspectSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `capsem inspect`
@Command(
        footer = {
            "",
            "One SELECT, WITH or EXPLAIN; nothing can be changed. At most 10 000 rows, 8 MiB and 5 seconds.",
            "Works on stopped and crashed sandboxes too. The session _main is the record of all sessions.",
            "",
            "Examples:",
            "  capsem inspect --schema",
            "  capsem inspect lab \"SELECT domain, count(*) FROM net_events GROUP BY 1\"",
            "  echo 'SELECT * FROM exec_events' | capsem inspect lab - --json"
        })
public final class InspectCommand extends PrintingCommand {
    private static final int CELL_WIDTH = 80;
    private static final int SQL_BYTES_MAX = 65_536;

    @Parameters(index = "0", arity = "0..1", paramLabel = "SANDBOX", description = "Name or id of the sandbox.")
    Optional<String> session = Optional.empty();

    @Parameters(index = "1", arity = "0..1", paramLabel = "SQL", description = "The query, or - to read it from stdin.")
    Optional<String> sql = Optional.empty();

    @Option(names = "--schema", description = "Show the tables and their columns.")
    boolean schema;

    @Option(names = "--full", description = "Do not cut long values.")
    boolean full;

    public InspectCommand(CliContext context) {
        super(context);
    }

    @Override
    public int run() {
        Screen screen = context.screen();
        if (schema) {
            printSchema(screen);
            return ExitCode.DONE;
        }
        if (session.isEmpty() || sql.isEmpty()) {
            throw CliProblem.usage("what to ask of which sandbox?", "capsem inspect SANDBOX SQL, or --schema");
        }
        String target = new RequestTarget("inspect", session.get()).toString();
        ObjectNode question = Json.object().put("sql", query());
        JsonNode reply =
                Progress.during(screen, "asking", () -> context.service().post(target, question));
        if (output.isJson()) {
            output.print(screen, reply);
            return ExitCode.DONE;
        }
        print(screen, reply);
        if (!output.isQuiet()) {
            screen.remark(reply.path("rows").size() + " rows"
                    + (reply.path("truncated").asBoolean(false) ? "; there are more: ask for less at a time" : ""));
        }
        return ExitCode.DONE;
    }

    private void printSchema(Screen screen) {
        List<String[]> tables =
                InspectSchema.tables().lines().map(line -> line.split("\t", 2)).toList();
        if (output.isJson()) {
            ObjectNode json = Json.object().put("schema", InspectSchema.sql());
            ObjectNode purposes = json.putObject("tables");
            tables.forEach(table -> purposes.put(table[0], table[1]));
            output.print(screen, json);
            return;
        }
        var list = Table.of("TABLE", "HOLDS").yielding(1);
        tables.forEach(list::add);
        list.printTo(screen);
        screen.print("");
        screen.out().print(InspectSchema.sql());
    }

    private void print(Screen screen, JsonNode reply) {
        var table = Table.of(reply.path("columns")
                .valueStream()
                .map(column -> column.asString(""))
                .toArray(String[]::new));
        for (int i = 0; i < reply.path("columns").size(); i++) {
            table.cut(i, full ? Integer.MAX_VALUE : CELL_WIDTH).yielding(i);
        }
        for (JsonNode row : reply.path("rows")) {
            table.add(row.valueStream().map(InspectCommand::cell).toArray(String[]::new));
        }
        table.printTo(screen);
    }

    private static String cell(JsonNode value) {
        return value.isNull() ? "∅" : value.asString("");
    }

    private String query() {
        String given = sql.orElse("");
        if (!given.equals("-")) {
            return given;
        }
        try {
            return new String(context.screen().in().readNBytes(SQL_BYTES_MAX + 1), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
