package dev.capsem.cli.sandboxes;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Progress;
import dev.capsem.wire.json.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `capsem persist`
@Command(footer = {"", "Examples:", "  capsem persist brave-otter-tmp lab"})
public final class PersistCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name or id of a running temporary sandbox.")
    String session = "";

    @Parameters(index = "1", paramLabel = "NAME", description = "The sandbox's new name.")
    String name = "";

    public PersistCommand(CliContext context) {
        super(context);
    }

    @Override
    public int run() {
        String kept = Progress.during(
                context.screen(), "keeping " + session, () -> context.service().persist(session, name));
        if (output.isJson()) {
            output.print(context.screen(), Json.object().put("success", true).put("name", kept));
        } else if (!output.isQuiet()) {
            context.screen().print(session + " is now " + kept);
        }
        return ExitCode.DONE;
    }
}
