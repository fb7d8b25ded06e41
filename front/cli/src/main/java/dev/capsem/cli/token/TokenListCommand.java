package dev.capsem.cli.token;

import dev.capsem.cli.CapsemCommand;
import dev.capsem.cli.CliContext;
import dev.capsem.cli.ExitCode;
import dev.capsem.cli.OutputOptions;
import dev.capsem.cli.screen.Screen;
import dev.capsem.cli.screen.Table;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/// `capsem token list`
@Command(footer = {"", "Secrets are never shown: they are not kept.", "", "Examples:", "  capsem token list"})
public final class TokenListCommand implements CapsemCommand {
    @Mixin
    OutputOptions output = new OutputOptions();

    private final CliContext context;

    public TokenListCommand(CliContext context) {
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
        JsonNode reply = context.service().get("/tokens");
        if (output.isJson()) {
            output.print(screen, reply);
            return ExitCode.DONE;
        }
        List<JsonMembers> tokens = JsonMembers.of(reply, "").objects("tokens");
        if (tokens.isEmpty()) {
            screen.remark("no tokens; make one: capsem token create --scope read");
            return ExitCode.DONE;
        }
        var table = Table.of("ID", "NAME", "SCOPES", "FOR", "STATE", "UNTIL")
                .yielding(1)
                .expendable(1);
        for (JsonMembers token : tokens) {
            table.add(
                    token.text("id"),
                    token.text("name"),
                    String.join(",", token.texts("scopes")),
                    reach(token),
                    token.flag("expired", false) ? "expired" : "valid",
                    token.optionalText("expires_at").orElse("revoked"));
        }
        table.printTo(screen);
        return ExitCode.DONE;
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
