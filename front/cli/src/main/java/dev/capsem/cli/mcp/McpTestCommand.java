package dev.capsem.cli.mcp;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.sandboxes.Interruption;
import dev.capsem.cli.screen.Progress;
import dev.capsem.wire.service.ProvisionRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `capsem mcp test`
@Command(
        footer = {
            "",
            "Connects and lists; calls no tool. Exits with 1 if a server does not answer, or if the one that was",
            "named is off. Of a program that fails it shows how it ended and what it said last. A program that",
            "downloads itself first has 90 seconds for its first answer.",
            "",
            "Examples:",
            "  capsem mcp test",
            "  capsem mcp test docs",
            "  capsem mcp test docs --learn",
            "  capsem mcp test --in brave-otter-tmp"
        })
public final class McpTestCommand extends PrintingCommand {
    /// Longer than a program may take for its first answer.
    private static final Duration CONNECTING_MAX = Duration.ofMinutes(2);

    private static final Duration LOOK_AGAIN = Duration.ofMillis(500);

    @Option(
            names = "--in",
            paramLabel = "SANDBOX",
            description = "The sandbox to test from (default: a temporary one).")
    Optional<String> session = Optional.empty();

    @Option(names = "--learn", description = "Also print what programs were refused, as options of capsem mcp add.")
    boolean isLearning;

    @Parameters(index = "0", arity = "0..1", paramLabel = "SERVER", description = "Only this server.")
    Optional<String> server = Optional.empty();

    public McpTestCommand(CliContext context) {
        super(context);
    }

    @Override
    public int run() {
        if (session.isPresent()) {
            return test(session.get());
        }
        String made;
        try (var _ = Progress.of(context.screen(), "starting a sandbox")) {
            made = context.service().provision(ProvisionRequest.temporary()).id();
        }
        try (var _ = Interruption.runs(() -> context.service().delete(made))) {
            return test(made);
        } finally {
            context.service().delete(made);
        }
    }

    /// A program that downloads itself first is waited for: the service gives it up before we do.
    private ToolReport asked(String id) {
        Instant until = context.clock().instant().plus(CONNECTING_MAX);
        ToolReport report = ToolReport.ask(context, id, server);
        try (var _ = Progress.of(context.screen(), "waiting for programs that start")) {
            while (report.servers().stream().anyMatch(ToolReport.Server::isConnecting)
                    && context.clock().instant().isBefore(until)) {
                Thread.sleep(LOOK_AGAIN);
                report = ToolReport.ask(context, id, server);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return report;
    }

    private int test(String id) {
        ToolReport report = asked(id);
        if (output.isJson()) {
            output.print(context.screen(), report.json());
        } else {
            report.printServers(context.screen());
            context.screen().out().flush();
            report.printProblems(context.screen());
            if (isLearning) {
                report.printRefusals(context.screen());
            }
        }
        // One that is off is well, unless somebody asked for it by name.
        boolean isWell = report.servers().stream()
                .allMatch(known -> known.isConnected() || (!known.isEnabled() && server.isEmpty()));
        return isWell ? ExitCode.DONE : ExitCode.NO;
    }
}
