package dev.capsem.cli.secret;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Progress;
import dev.capsem.cli.screen.Screen;
import dev.capsem.cli.screen.Table;
import dev.capsem.client.io.RequestTarget;
import dev.capsem.wire.json.Json;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `capsem secret why`
@Command(
        footer = {
            "",
            "Shows where credentials went from a sandbox and how often, and which requests were refused",
            "because a stand-in was where it must not be, or because a value was missing. Works on stopped",
            "sandboxes too.",
            "",
            "Examples:",
            "  capsem secret why lab"
        })
public final class SecretWhyCommand extends PrintingCommand {
    private static final String USES = "SELECT grant_name, host, place, sum(use_count) AS uses, max(timestamp) AS last"
            + " FROM grant_uses GROUP BY 1, 2, 3 ORDER BY last DESC LIMIT 200";
    private static final String REFUSALS = "SELECT timestamp, subject, reason FROM security_events"
            + " WHERE final_action = 'block' AND (reason LIKE 'placeholder_leak%' OR reason LIKE 'secret_unavailable%'"
            + " OR reason LIKE 'secret_in_response%') ORDER BY timestamp DESC LIMIT 50";
    private static final int REASON_WIDTH = 120;

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name or id of the sandbox.")
    String sandbox = "";

    public SecretWhyCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> sandbox = word);
    }

    @Override
    public int run() {
        JsonNode uses = ask(USES);
        JsonNode refusals = ask(REFUSALS);
        Screen screen = context.screen();
        if (output.isJson()) {
            ObjectNode json = Json.object();
            json.set("uses", rows(uses));
            json.set("refusals", rows(refusals));
            output.print(screen, json);
            return ExitCode.DONE;
        }
        if (uses.path("rows").isEmpty() && refusals.path("rows").isEmpty()) {
            screen.remark("no credential left this sandbox, and none was refused");
            return ExitCode.DONE;
        }
        table(uses, Table.of("GRANT", "HOST", "PLACE", "USES", "LAST").yielding(1));
        table(
                refusals,
                Table.of("REFUSED AT", "REQUEST", "WHY")
                        .cut(2, REASON_WIDTH)
                        .yielding(1)
                        .yielding(2));
        return ExitCode.DONE;
    }

    private JsonNode ask(String sql) {
        String target = new RequestTarget("inspect", sandbox).toString();
        ObjectNode question = Json.object().put("sql", sql);
        return Progress.during(
                context.screen(), "asking", () -> context.service().post(target, question));
    }

    private void table(JsonNode reply, Table table) {
        if (reply.path("rows").isEmpty()) {
            return;
        }
        for (JsonNode row : reply.path("rows")) {
            table.add(row.valueStream().map(cell -> cell.asString("")).toArray(String[]::new));
        }
        table.printTo(context.screen());
    }

    private static JsonNode rows(JsonNode reply) {
        var list = Json.array();
        List<String> columns = reply.path("columns")
                .valueStream()
                .map(column -> column.asString(""))
                .toList();
        for (JsonNode row : reply.path("rows")) {
            ObjectNode one = list.addObject();
            for (int i = 0; i < columns.size(); i++) {
                one.set(columns.get(i), row.path(i));
            }
        }
        return list;
    }
}
