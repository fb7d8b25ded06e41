package dev.capsem.cli.diagnose;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Progress;
import dev.capsem.cli.screen.Screen;
import dev.capsem.client.io.RequestTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// `capsem triage`
@Command(
        footer = {
            "",
            "One line for each finding, the worst kinds first: panics, crashed sandboxes, lost connections,",
            "failed requests, then what a sandbox's record says of blocks, errors and slow calls.",
            "",
            "Examples:",
            "  capsem triage",
            "  capsem triage lab --since 2h",
            "  capsem triage lab --json | jq .session.denied_net"
        })
public final class TriageCommand extends PrintingCommand {
    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "SANDBOX",
            description = "Include the problems of this sandbox.")
    Optional<String> session = Optional.empty();

    @Option(
            names = "--since",
            paramLabel = "WHEN",
            description = "Begin at this time, or this long ago: 90s, 30m, 6h, 2d (default: 30m).")
    Optional<String> since = Optional.empty();

    @Option(names = "--limit", paramLabel = "N", description = "At most this many of each kind (default: 20).")
    Optional<Integer> limit = Optional.empty();

    public TriageCommand(CliContext context) {
        super(context);
    }

    @Override
    public int run() {
        String target = new RequestTarget("triage")
                .with("id", session)
                .with("since", since)
                .with("limit", limit)
                .toString();
        JsonNode report = Progress.during(
                context.screen(), "looking", () -> context.service().get(target));
        Screen screen = context.screen();
        if (output.isJson()) {
            output.print(screen, report);
            return ExitCode.DONE;
        }
        if (report.path("session").path("missing").asBoolean(false)) {
            screen.remark("there is no record of " + session.orElse(""));
        }
        if (report.path("rank").isEmpty()) {
            screen.print("nothing went wrong since " + report.path("since").asString(""));
        } else {
            Findings.print(screen, report.path("rank"));
        }
        if (!output.isQuiet()) {
            screen.remark(counts(report.path("host")));
        }
        return ExitCode.DONE;
    }

    private static String counts(JsonNode host) {
        List<String> parts = new ArrayList<>();
        parts.add(Amounts.counted(host.path("panics").size(), "panic"));
        parts.add(Amounts.counted(host.path("ipc_drops").size(), "lost connection"));
        parts.add(Amounts.counted(host.path("server_errors").size(), "server error"));
        parts.add(Amounts.counted(host.path("slow_ops").size(), "slow operation"));
        parts.add(Amounts.counted(host.path("errors").size(), "warning") + " in logs");
        return "this host: " + String.join(", ", parts);
    }
}
