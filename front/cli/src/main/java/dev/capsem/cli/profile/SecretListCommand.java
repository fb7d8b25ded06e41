package dev.capsem.cli.profile;

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

/// `capsem secret list`
@Command(footer = {"", "Values are never shown.", "", "Examples:", "  capsem secret list", "  capsem secret list -q"})
public final class SecretListCommand implements CapsemCommand {
    @Mixin
    OutputOptions output = new OutputOptions();

    private final CliContext context;

    public SecretListCommand(CliContext context) {
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
        JsonNode reply = context.service().get("/secrets");
        if (output.isJson()) {
            output.print(screen, reply);
            return ExitCode.DONE;
        }
        List<JsonMembers> secrets = JsonMembers.of(reply, "").objects("secrets");
        if (output.isQuiet()) {
            secrets.forEach(secret -> screen.print(secret.text("name")));
            return ExitCode.DONE;
        }
        if (secrets.isEmpty()) {
            screen.remark("no secrets; keep one: capsem secret set NAME");
            return ExitCode.DONE;
        }
        var table = Table.of("NAME", "SET AT");
        secrets.forEach(secret ->
                table.add(secret.text("name"), secret.optionalText("set_at").orElse("")));
        table.printTo(screen);
        return ExitCode.DONE;
    }
}
