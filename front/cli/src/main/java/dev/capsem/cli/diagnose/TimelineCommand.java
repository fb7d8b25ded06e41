package dev.capsem.cli.diagnose;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Progress;
import dev.capsem.cli.screen.Screen;
import dev.capsem.client.io.RequestTarget;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// `capsem timeline`
@Command(
        footer = {
            "",
            "What went wrong comes first, then everything in order. Rows of one trace, which is one turn",
            "of an agent, are indented below its name. Times are UTC. Layers: exec, mcp, net, dns, security,",
            "audit, snapshot, grant (credentials that left), fs, model (tokens and cost), tool (what a model",
            "asked for). Without --layers, events that were simply allowed and processes (audit) are left",
            "out, and agents' own files and short-lived ones are one line. Works on stopped and crashed",
            "sandboxes too.",
            "",
            "Examples:",
            "  capsem timeline lab",
            "  capsem timeline lab --since 10m --layers net,dns",
            "  capsem timeline lab --trace 4bf92f3577b34da6a3ce929d0e0e4736 --json"
        })
public final class TimelineCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name or id of the sandbox.")
    String session = "";

    @Option(names = "--layers", paramLabel = "LIST", description = "Only these, separated by commas.")
    Optional<String> layers = Optional.empty();

    @Option(names = "--trace", paramLabel = "ID", description = "Only this trace, and events without a trace.")
    Optional<String> trace = Optional.empty();

    @Option(
            names = "--since",
            paramLabel = "WHEN",
            description = "Begin at this time, or this long ago: 90s, 30m, 6h, 2d.")
    Optional<String> since = Optional.empty();

    @Option(names = "--limit", paramLabel = "N", description = "How many of the newest rows (default: 200).")
    Optional<Integer> limit = Optional.empty();

    @Option(names = "--full", description = "Do not cut long lines.")
    boolean full;

    public TimelineCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> session = word);
    }

    @Override
    public int run() {
        String target = new RequestTarget("timeline", session)
                .with("layers", layers)
                .with("trace_id", trace)
                .with("since", since)
                .with("limit", limit)
                .toString();
        JsonNode reply = Progress.during(
                context.screen(), "reading", () -> context.service().get(target));
        Screen screen = context.screen();
        if (output.isJson()) {
            output.print(screen, reply);
            return ExitCode.DONE;
        }
        if (!output.isQuiet() && !reply.path("notes").isEmpty()) {
            Findings.print(screen, reply.path("notes"));
            screen.print("");
        }
        if (reply.path("rows").isEmpty()) {
            screen.remark("nothing was recorded");
            return ExitCode.DONE;
        }
        new TimelineText(screen, full ? Integer.MAX_VALUE : screen.columns(), layers.isPresent())
                .print(reply.path("rows"));
        return ExitCode.DONE;
    }
}
