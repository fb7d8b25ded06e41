package dev.capsem.cli.profile;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ListTable;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Table;
import java.util.List;
import picocli.CommandLine.Command;

/// `capsem secret list`
@Command(footer = {"", "Values are never shown.", "", "Examples:", "  capsem secret list", "  capsem secret list -q"})
public final class SecretListCommand extends PrintingCommand {
    public SecretListCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return words.isEmpty();
    }

    @Override
    public int run() {
        return new ListTable(
                        context.service().get("/secrets"),
                        "secrets",
                        "name",
                        "no secrets; keep one: capsem secret set NAME")
                .print(
                        context,
                        output,
                        Table.of("NAME", "SET AT"),
                        (table, secret) -> table.add(
                                secret.text("name"),
                                secret.optionalText("set_at").orElse("")));
    }
}
