package dev.capsem.cli.project;

import dev.capsem.cli.CapsemCommand;
import dev.capsem.cli.CliContext;
import dev.capsem.cli.ExitCode;
import dev.capsem.cli.OutputOptions;
import dev.capsem.cli.screen.Progress;
import dev.capsem.wire.service.ApplyReply;
import dev.capsem.wire.service.ApplyRequest;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `capsem apply`
@Command(
        footer = {
            "",
            "All or nothing: when one path moved on in your project since the sandbox was made, nothing is",
            "applied and each such path is named. Devices, links that lead out of the project, and git hooks",
            "and configuration are held back until you name them.",
            "",
            "Examples:",
            "  capsem apply app-x7k2q              bring everything back",
            "  capsem apply app-x7k2q src README.md",
            "  capsem apply app-x7k2q --force      overwrite what changed meanwhile"
        })
public final class ApplyCommand implements CapsemCommand {
    @Mixin
    OutputOptions output = new OutputOptions();

    @Parameters(index = "0", paramLabel = "SESSION", description = "The sandbox.")
    String session = "";

    @Parameters(index = "1..*", paramLabel = "PATH", description = "Only these paths and what is below them.")
    List<String> paths = new ArrayList<>();

    @Option(names = "--force", description = "Overwrite also what changed in the project meanwhile.")
    boolean force;

    private final CliContext context;

    public ApplyCommand(CliContext context) {
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
        ApplyReply reply;
        try (var _ = Progress.of(context.screen(), "applying")) {
            reply = context.service().apply(session, new ApplyRequest(paths, force));
        }
        if (output.isJson()) {
            output.print(context.screen(), reply.toJson());
        } else {
            ApplyReport.print(context.screen(), session, reply, output.isQuiet());
        }
        return reply.refused().isEmpty() && reply.failed().isEmpty() ? ExitCode.DONE : ExitCode.NO;
    }
}
