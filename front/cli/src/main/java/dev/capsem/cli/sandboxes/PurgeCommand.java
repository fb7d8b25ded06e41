package dev.capsem.cli.sandboxes;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.project.ProjectChoice;
import dev.capsem.cli.screen.Progress;
import dev.capsem.cli.screen.Screen;
import dev.capsem.wire.service.PurgeReply;
import dev.capsem.wire.service.SandboxSummary;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `capsem purge`
@Command(
        footer = {
            "",
            "`run --workspace` keeps a sandbox that changed the copy of your project. --kept deletes those",
            "too, with their changes; bring back what you want first: capsem apply SANDBOX.",
            "Copies of what `apply` overwrote, in $CAPSEM_HOME/kept, stay for 30 days and up to 1 GiB, the newest",
            "always; purge leaves them.",
            "",
            "Examples:",
            "  capsem purge",
            "  capsem purge --kept",
            "  capsem purge --all -y"
        })
public final class PurgeCommand extends PrintingCommand {
    @Option(
            names = {"-a", "--all"},
            description = "Persistent sandboxes too, with everything in them.")
    boolean all;

    @Option(names = "--kept", description = "Also those that `run` kept because of their changes to a project.")
    boolean kept;

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask.")
    boolean yes;

    public PurgeCommand(CliContext context) {
        super(context);
    }

    @Override
    public int run() {
        if (all && !yes && !isConfirmed()) {
            context.screen().remark("nothing was deleted");
            return ExitCode.NO;
        }
        List<String> leftovers = all ? List.of() : leftovers();
        PurgeReply reply;
        try (var _ = Progress.of(context.screen(), "deleting sandboxes")) {
            if (kept) {
                leftovers.forEach(context.service()::delete);
            }
            PurgeReply purged = context.service().purge(all);
            reply = new PurgeReply(purged.persistentPurged() + (kept ? leftovers.size() : 0), purged.ephemeralPurged());
        }
        if (output.isJson()) {
            output.print(context.screen(), reply.toJson());
        } else if (!output.isQuiet()) {
            context.screen()
                    .print(reply.ephemeralPurged() + " temporary and " + reply.persistentPurged()
                            + " persistent deleted");
            if (!kept && !leftovers.isEmpty()) {
                context.screen().remark("kept, with changes of a project: " + String.join(", ", leftovers));
                context.screen().remark("  discard them too: capsem purge --kept");
            }
        }
        return ExitCode.DONE;
    }

    private List<String> leftovers() {
        return context.service().list().stream()
                .filter(ProjectChoice::isKept)
                .map(SandboxSummary::id)
                .toList();
    }

    private boolean isConfirmed() {
        Screen screen = context.screen();
        if (!screen.terminals().in()) {
            throw CliProblem.usage("--all deletes persistent sandboxes", "pass -y where no terminal can be asked");
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
