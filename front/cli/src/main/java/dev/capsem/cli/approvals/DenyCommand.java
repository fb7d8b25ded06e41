package dev.capsem.cli.approvals;

import dev.capsem.cli.CapsemCommand;
import dev.capsem.cli.CliContext;
import dev.capsem.cli.ExitCode;
import dev.capsem.cli.OutputOptions;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// `capsem approvals deny`
@Command(footer = {"", "Examples:", "  capsem approvals deny q-17"})
public final class DenyCommand implements CapsemCommand {
    @Mixin
    OutputOptions output = new OutputOptions();

    @Parameters(index = "0", paramLabel = "ID", description = "Id of the question, as shown by `capsem approvals`.")
    String id = "";

    private final CliContext context;

    public DenyCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public boolean takePlain(OutputOptions given, List<String> words) {
        if (words.size() != 1) {
            return false;
        }
        output = given;
        id = words.getFirst();
        return true;
    }

    @Override
    public int run() {
        JsonNode reply = Answer.DENY.send(context, id);
        if (output.isJson()) {
            output.print(context.screen(), reply);
        } else if (!output.isQuiet()) {
            context.screen().print(Answer.DENY.told());
        }
        return ExitCode.DONE;
    }
}
