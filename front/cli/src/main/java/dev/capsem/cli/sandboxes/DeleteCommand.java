package dev.capsem.cli.sandboxes;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.command.RemoveMany;
import dev.capsem.cli.screen.Progress;
import dev.capsem.wire.json.Json;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.StringNode;

/// `capsem delete`
@Command(footer = {"", "Examples:", "  capsem delete lab", "  capsem rm $(capsem list -q)"})
public final class DeleteCommand extends PrintingCommand {
    @Parameters(arity = "1..*", paramLabel = "SANDBOX", description = "Names or ids of the sandboxes.")
    List<String> sessions = new ArrayList<>();

    public DeleteCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return many(words, given -> sessions = given);
    }

    @Override
    public int run() {
        return new RemoveMany(context, output)
                .each(sessions, this::delete, deleted -> Json.object().set("deleted", deleted));
    }

    private RemoveMany.Removed delete(String session) {
        try (var _ = Progress.of(context.screen(), "deleting " + session)) {
            context.service().delete(session);
        }
        return new RemoveMany.Removed(StringNode.valueOf(session), session + " deleted");
    }
}
