package dev.capsem.cli.sandboxes;

import dev.capsem.cli.CapsemCommand;
import dev.capsem.cli.CliContext;
import dev.capsem.cli.ExitCode;
import dev.capsem.cli.OutputOptions;
import dev.capsem.cli.screen.Progress;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.StopReply;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ArrayNode;

/// `capsem stop`
@Command(footer = {"", "Examples:", "  capsem stop lab", "  capsem stop lab lab-2"})
public final class StopCommand implements CapsemCommand {
    @Mixin
    OutputOptions output = new OutputOptions();

    @Parameters(arity = "1..*", paramLabel = "SANDBOX", description = "Names or ids of the sandboxes.")
    List<String> sessions = new ArrayList<>();

    private final CliContext context;

    public StopCommand(CliContext context) {
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
        ArrayNode stopped = Json.array();
        for (String session : sessions) {
            StopReply reply;
            try (var _ = Progress.of(context.screen(), "stopping " + session)) {
                reply = context.service().stop(session);
            }
            stopped.add(reply.toJson().put("id", session));
            if (!output.isJson() && !output.isQuiet()) {
                context.screen().print(session + (reply.persistent() ? " stopped" : " stopped and deleted"));
            }
        }
        if (output.isJson()) {
            output.print(context.screen(), Json.object().set("stopped", stopped));
        }
        return ExitCode.DONE;
    }
}
