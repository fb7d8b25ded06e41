package dev.capsem.cli.sandboxes;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Progress;
import dev.capsem.wire.service.ForkReply;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `capsem fork`
@Command(
        footer = {
            "",
            "Files and installed programs are copied, processes are not. The source may go on running.",
            "",
            "Examples:",
            "  capsem fork lab lab-2",
            "  capsem fork lab before-upgrade -d 'state before the upgrade' && capsem resume before-upgrade"
        })
public final class ForkCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name or id of the sandbox to copy.")
    String session = "";

    @Parameters(index = "1", paramLabel = "NAME", description = "The name of the copy.")
    String name = "";

    @Option(
            names = {"-d", "--description"},
            paramLabel = "TEXT",
            description = "A description.")
    String description = "";

    public ForkCommand(CliContext context) {
        super(context);
    }

    @Override
    public int run() {
        ForkReply reply;
        try (var _ = Progress.of(context.screen(), "copying " + session)) {
            reply = context.service().fork(session, name, description);
        }
        if (output.isJson()) {
            output.print(context.screen(), reply.toJson());
        } else if (!output.isQuiet()) {
            context.screen()
                    .print(reply.name() + " is a copy of " + session + " (" + Amounts.bytes(reply.sizeBytes())
                            + "), stopped; start it: capsem resume " + reply.name());
        }
        return ExitCode.DONE;
    }
}
