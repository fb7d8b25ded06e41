package dev.capsem.cli.traffic;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.client.LiveFeed;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.SandboxSummary;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// `capsem net tail`
@Command(
        footer = {
            "",
            "One line for each HTTP exchange, DNS question and model call, when it is over, until the",
            "sandbox ends or Ctrl-C. With --json each line is one JSON document. What was before: `capsem",
            "export`.",
            "",
            "Examples:",
            "  capsem net tail lab",
            "  capsem net tail lab --json | jq 'select(.event.final_action == \"block\")'"
        })
public final class NetTailCommand extends PrintingCommand {
    private static final Set<String> KINDS = Set.of("http", "dns", "model");
    private static final Set<String> ENDS = Set.of("stopped", "crashed", "deleted");

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name or id of a running sandbox.")
    String session = "";

    public NetTailCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> session = word);
    }

    @Override
    public int run() {
        var line = new TrafficLine(context.screen().outInk(), context.screen().columns());
        try (LiveFeed feed = context.service().live(session)) {
            // After the stream began: what ends from here on is told by it.
            requireLive(context.service().sandbox(session));
            if (!output.isQuiet()) {
                context.screen().remark("watching " + session + "; Ctrl-C ends this, not the sandbox");
            }
            for (Optional<LiveFeed.Happening> next = feed.next(); next.isPresent(); next = feed.next()) {
                JsonNode json = next.get().json();
                switch (next.get().kind()) {
                    case "lost", "missed" ->
                        context.screen().remark(json.path("count").asLong(0) + " events came too fast to be shown");
                    case "sandbox" -> {
                        if (ENDS.contains(json.path("change").asString(""))) {
                            return ended(json);
                        }
                    }
                    case String kind -> {
                        if (KINDS.contains(kind)) {
                            show(json, line);
                        }
                    }
                }
            }
        }
        context.screen().remark("the service ended");
        return ExitCode.DONE;
    }

    private static void requireLive(SandboxSummary sandbox) {
        if (!sandbox.isLive()) {
            throw CliProblem.of(
                    "not_running",
                    sandbox.id() + " is " + sandbox.status().toLowerCase(Locale.ROOT) + ": nothing happens in it",
                    "start it: `capsem resume " + sandbox.id() + "`, or see what it did: `capsem timeline "
                            + sandbox.id() + "`");
        }
    }

    private int ended(JsonNode change) {
        if (!output.isQuiet()) {
            context.screen().remark(session + " " + change.path("change").asString(""));
        }
        return ExitCode.DONE;
    }

    private void show(JsonNode exchange, TrafficLine line) {
        Optional<String> text = line.of(exchange);
        if (text.isPresent()) {
            context.screen().print(output.isJson() ? Json.text(exchange) : text.get());
            context.screen().out().flush();
        }
    }
}
