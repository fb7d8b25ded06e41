package dev.capsem.cli.sandboxes;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Progress;
import dev.capsem.wire.service.SuspendReply;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `capsem suspend`
@Command(
        footer = {
            "",
            "Its processes stop where they are and stay in memory; `capsem resume` lets them go on. After a",
            "reboot of the host it starts afresh.",
            "",
            "Examples:",
            "  capsem suspend lab"
        })
public final class SuspendCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name or id of the sandbox.")
    String session = "";

    public SuspendCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> session = word);
    }

    @Override
    public int run() {
        SuspendReply reply = Progress.during(
                context.screen(),
                "suspending " + session,
                () -> context.service().suspend(session));
        if (output.isJson()) {
            output.print(context.screen(), reply.toJson());
        } else if (!output.isQuiet()) {
            context.screen().print(session + " suspended (" + reply.mode() + ")");
        }
        return ExitCode.DONE;
    }
}
