package dev.capsem.cli.sandboxes;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.command.RemoveMany;
import dev.capsem.cli.screen.Progress;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.StopReply;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `capsem stop`
@Command(footer = {"", "Examples:", "  capsem stop lab", "  capsem stop lab lab-2"})
public final class StopCommand extends PrintingCommand {
    @Parameters(arity = "1..*", paramLabel = "SANDBOX", description = "Names or ids of the sandboxes.")
    List<String> sessions = new ArrayList<>();

    public StopCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return many(words, given -> sessions = given);
    }

    @Override
    public int run() {
        return new RemoveMany(context, output)
                .each(sessions, this::stop, stopped -> Json.object().set("stopped", stopped));
    }

    private RemoveMany.Removed stop(String session) {
        StopReply reply = Progress.during(
                context.screen(), "stopping " + session, () -> context.service().stop(session));
        return new RemoveMany.Removed(
                reply.toJson().put("id", session),
                session + (reply.persistent() ? " stopped" : " stopped and deleted"));
    }
}
