package dev.capsem.cli.token;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ListTable;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Table;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import picocli.CommandLine.Command;

/// `capsem token list`
@Command(footer = {"", "Secrets are never shown: they are not kept.", "", "Examples:", "  capsem token list"})
public final class TokenListCommand extends PrintingCommand {
    public TokenListCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return words.isEmpty();
    }

    @Override
    public int run() {
        return new ListTable(
                        context.service().get("/tokens"),
                        "tokens",
                        "id",
                        "no tokens; make one: capsem token create --scope read")
                .print(
                        context,
                        output,
                        Table.of("ID", "NAME", "SCOPES", "FOR", "STATE", "UNTIL")
                                .yielding(1)
                                .expendable(1),
                        TokenListCommand::add);
    }

    private static void add(Table table, JsonMembers token) {
        table.add(
                token.text("id"),
                token.text("name"),
                String.join(",", token.texts("scopes")),
                reach(token),
                token.flag("expired", false) ? "expired" : "valid",
                token.optionalText("expires_at").orElse("revoked"));
    }

    private static String reach(JsonMembers token) {
        if (token.texts("scopes").contains("admin")) {
            return "everything";
        }
        List<String> sandboxes = token.texts("sandboxes");
        String profiles = String.join(",", token.texts("profiles"));
        return sandboxes.isEmpty() ? profiles : String.join(",", sandboxes) + " of " + profiles;
    }
}
