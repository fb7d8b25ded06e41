package dev.capsem.cli.approvals;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// `capsem approvals deny`
@Command(footer = {"", "Examples:", "  capsem approvals deny q-17"})
public final class DenyCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "ID", description = "Id of the question, as shown by `capsem approvals`.")
    String id = "";

    public DenyCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> id = word);
    }

    @Override
    public int run() {
        JsonNode reply = ApprovalAnswer.DENY.send(context, id);
        if (output.isJson()) {
            output.print(context.screen(), reply);
        } else if (!output.isQuiet()) {
            context.screen().print(ApprovalAnswer.DENY.told());
        }
        return ExitCode.DONE;
    }
}
