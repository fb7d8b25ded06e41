package dev.capsem.cli.sandboxes;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Progress;
import dev.capsem.wire.service.ProvisionReply;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `capsem resume`
@Command(footer = {"", "Examples:", "  capsem resume lab"})
public final class ResumeCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name or id of the sandbox.")
    String session = "";

    public ResumeCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> session = word);
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
