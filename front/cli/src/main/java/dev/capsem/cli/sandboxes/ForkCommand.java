package dev.capsem.cli.sandboxes;

import dev.capsem.cli.CapsemCommand;
import dev.capsem.cli.CliContext;
import dev.capsem.cli.ExitCode;
import dev.capsem.cli.OutputOptions;
import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Progress;
import dev.capsem.wire.service.ForkReply;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
public final class ForkCommand implements CapsemCommand {
    @Mixin
    OutputOptions output = new OutputOptions();

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name or id of the sandbox to copy.")
    String session = "";

    @Parameters(index = "1", paramLabel = "NAME", description = "The name of the copy.")
    String name = "";

    @Option(
            names = {"-d", "--description"},
            paramLabel = "TEXT",
            description = "A description.")
    String description = "";

    private final CliContext context;

    public ForkCommand(CliContext context) {
        this.context = context;
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
