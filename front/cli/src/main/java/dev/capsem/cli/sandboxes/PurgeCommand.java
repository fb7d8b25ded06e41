package dev.capsem.cli.sandboxes;

import dev.capsem.cli.CapsemCommand;
import dev.capsem.cli.CliContext;
import dev.capsem.cli.CliProblem;
import dev.capsem.cli.ExitCode;
import dev.capsem.cli.OutputOptions;
import dev.capsem.cli.screen.Progress;
import dev.capsem.cli.screen.Screen;
import dev.capsem.wire.service.PurgeReply;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `capsem purge`
@Command(footer = {"", "Examples:", "  capsem purge", "  capsem purge --all -y"})
public final class PurgeCommand implements CapsemCommand {
    @Mixin
    OutputOptions output = new OutputOptions();

    @Option(
            names = {"-a", "--all"},
            description = "Persistent sandboxes too, with everything in them.")
    boolean all;

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask.")
    boolean yes;

    private final CliContext context;

    public PurgeCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public int run() {
        if (all && !yes && !isConfirmed()) {
            context.screen().remark("nothing was deleted");
            return ExitCode.NO;
        }
        PurgeReply reply;
        try (var _ = Progress.of(context.screen(), "deleting sandboxes")) {
            reply = context.service().purge(all);
        }
        if (output.isJson()) {
            output.print(context.screen(), reply.toJson());
        } else if (!output.isQuiet()) {
            context.screen()
                    .print(reply.ephemeralPurged() + " temporary and " + reply.persistentPurged()
                            + " persistent deleted");
        }
        return ExitCode.DONE;
    }

    private boolean isConfirmed() {
        Screen screen = context.screen();
        if (!screen.terminals().in()) {
            throw CliProblem.usage("--all deletes persistent sandboxes", "say -y when there is nobody to ask");
        }
        long persistent =
                context.service().list().stream().filter(s -> s.persistent()).count();
        screen.err()
                .print("Delete all sandboxes, " + persistent + " of them persistent, with everything in them? [y/N] ");
        screen.err().flush();
        try {
            int answer = screen.in().read();
            return answer == 'y' || answer == 'Y';
        } catch (IOException closed) {
            return false;
        }
    }
}
