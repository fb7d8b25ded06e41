package dev.capsem.cli.sandboxes;

import dev.capsem.cli.CapsemCommand;
import dev.capsem.cli.CliContext;
import dev.capsem.cli.ExitCode;
import dev.capsem.cli.OutputOptions;
import dev.capsem.cli.screen.Progress;
import dev.capsem.wire.service.ProvisionReply;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `capsem resume`
@Command(footer = {"", "Examples:", "  capsem resume lab"})
public final class ResumeCommand implements CapsemCommand {
    @Mixin
    OutputOptions output = new OutputOptions();

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name or id of the sandbox.")
    String session = "";

    private final CliContext context;

    public ResumeCommand(CliContext context) {
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
        ProvisionReply reply;
        try (var _ = Progress.of(context.screen(), "resuming " + session)) {
            reply = context.service().resume(session);
        }
        reply.warnings().forEach(context.screen()::warn);
        if (output.isJson()) {
            output.print(context.screen(), reply.toJson());
        } else if (!output.isQuiet()) {
            String how = switch (reply.mode()) {
                case "thaw" -> " goes on where it was";
                case "running" -> " is already running";
                case "" -> " is running";
                default -> " was started afresh (" + reply.mode() + ")";
            };
            context.screen().print(reply.id() + how);
        }
        return ExitCode.DONE;
    }
}
