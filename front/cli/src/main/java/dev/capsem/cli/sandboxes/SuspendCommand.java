package dev.capsem.cli.sandboxes;

import dev.capsem.cli.CapsemCommand;
import dev.capsem.cli.CliContext;
import dev.capsem.cli.ExitCode;
import dev.capsem.cli.OutputOptions;
import dev.capsem.cli.screen.Progress;
import dev.capsem.wire.service.SuspendReply;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
public final class SuspendCommand implements CapsemCommand {
    @Mixin
    OutputOptions output = new OutputOptions();

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name or id of the sandbox.")
    String session = "";

    private final CliContext context;

    public SuspendCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public boolean takePlain(OutputOptions given, List<String> words) {
        if (words.size() != 1) {
            return false;
        }
        output = given;
        session = words.getFirst();
        return true;
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
