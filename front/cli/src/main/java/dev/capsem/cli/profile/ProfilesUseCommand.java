package dev.capsem.cli.profile;

import dev.capsem.cli.CapsemCommand;
import dev.capsem.cli.CliContext;
import dev.capsem.cli.ExitCode;
import dev.capsem.cli.OutputOptions;
import dev.capsem.cli.screen.Printable;
import dev.capsem.wire.json.Json;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
public final class ProfilesUseCommand implements CapsemCommand {
    @Mixin
    OutputOptions output = new OutputOptions();

    @Parameters(index = "0", paramLabel = "ID", description = "Name of the profile.")
    String profile = "";

    private final CliContext context;

    public ProfilesUseCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public boolean takePlain(OutputOptions given, List<String> words) {
        if (words.size() != 1) {
            return false;
        }
        output = given;
        profile = words.getFirst();
        return true;
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
