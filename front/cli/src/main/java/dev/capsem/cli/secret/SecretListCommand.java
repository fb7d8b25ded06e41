package dev.capsem.cli.secret;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ListTable;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Table;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import picocli.CommandLine.Command;
import tools.jackson.databind.JsonNode;

/// `capsem secret list`
@Command(
        footer = {
            "",
            "Values are never shown. Grants are those of the profile in use.",
            "",
            "Examples:",
            "  capsem secret list",
            "  capsem secret list -q"
        })
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
        JsonNode reply = context.service().get("/secrets");
        int done = new ListTable(reply, "secrets", "name", "no secrets; keep one: capsem secret set NAME")
                .print(
                        context,
                        output,
                        Table.of("NAME", "SET AT", "GRANTS"),
                        (table, secret) -> table.add(
                                secret.text("name"),
                                secret.optionalText("set_at").orElse(""),
                                secret.has("grants") ? String.join(", ", secret.texts("grants")) : ""));
        if (!output.isJson() && !output.isQuiet()) {
            printRest(reply);
        }
        return done;
    }

    /// Grants may have their value from elsewhere; then no secret is in the list.
    private void printRest(JsonNode secrets) {
        List<JsonMembers> grants =
                secrets.has("grants") ? JsonMembers.of(secrets, "").objects("grants") : List.of();
        if (!grants.isEmpty()) {
            Table table = Table.of("GRANT", "FROM", "HOSTS", "PLACES", "INSIDE")
                    .yielding(2)
                    .yielding(3);
            grants.forEach(grant -> table.add(
                    grant.text("name"),
                    from(grant),
                    String.join(", ", grant.texts("hosts")),
                    String.join(", ", grant.texts("places")),
                    grant.optionalText("env")
                            .or(() -> grant.optionalText("file"))
                            .orElse("nothing")));
            table.printTo(context.screen());
        }
        if (!secrets.path("secrets").isEmpty()) {
            context.screen()
                    .remark(
                            secrets.path("encrypted").asBoolean(false)
                                    ? "encrypted; the key is in "
                                            + (secrets.path("key").asString("").equals("keyring")
                                                    ? "the keyring of your account"
                                                    : "secrets.key, which only you can read")
                                    : "not encrypted yet");
        }
    }

    private static String from(JsonMembers grant) {
        return grant.node("secret").filter(JsonNode::isObject).isPresent() ? "program or vault" : grant.text("secret");
    }
}
