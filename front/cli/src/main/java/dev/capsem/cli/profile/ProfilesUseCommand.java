package dev.capsem.cli.profile;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Printable;
import dev.capsem.wire.json.Json;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// `capsem profiles use`
@Command(
        footer = {
            "",
            "Sandboxes that exist keep the profile they were made with.",
            "",
            "Examples:",
            "  capsem profiles use locked-down"
        })
public final class ProfilesUseCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "ID", description = "Name of the profile.")
    String profile = "";

    public ProfilesUseCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> profile = word);
    }

    @Override
    public int run() {
        JsonNode reply = context.service().post("/profiles/use", Json.object().put("id", profile));
        if (output.isJson()) {
            output.print(context.screen(), reply);
        } else if (!output.isQuiet()) {
            context.screen()
                    .print("new sandboxes use "
                            + Printable.line(reply.path("chosen").asString(profile)));
        }
        return ExitCode.DONE;
    }
}
