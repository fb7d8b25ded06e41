package dev.capsem.cli.sandboxes;

import dev.capsem.cli.CapsemCommand;
import dev.capsem.cli.CliContext;
import dev.capsem.cli.ExitCode;
import dev.capsem.cli.OutputOptions;
import dev.capsem.cli.screen.Progress;
import dev.capsem.wire.json.Json;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ArrayNode;

/// `capsem delete`
@Command(footer = {"", "Examples:", "  capsem delete lab", "  capsem rm $(capsem list -q)"})
public final class DeleteCommand implements CapsemCommand {
    @Mixin
    OutputOptions output = new OutputOptions();

    @Parameters(arity = "1..*", paramLabel = "SANDBOX", description = "Names or ids of the sandboxes.")
    List<String> sessions = new ArrayList<>();

    private final CliContext context;

    public DeleteCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public boolean takePlain(OutputOptions given, List<String> words) {
        output = given;
        sessions = words;
        return !words.isEmpty();
    }

    @Override
    public int run() {
        ArrayNode deleted = Json.array();
        for (String session : sessions) {
            try (var _ = Progress.of(context.screen(), "deleting " + session)) {
                context.service().delete(session);
            }
            deleted.add(session);
            if (!output.isJson() && !output.isQuiet()) {
                context.screen().print(session + " deleted");
            }
        }
        if (output.isJson()) {
            output.print(context.screen(), Json.object().set("deleted", deleted));
        }
        return ExitCode.DONE;
    }
}
