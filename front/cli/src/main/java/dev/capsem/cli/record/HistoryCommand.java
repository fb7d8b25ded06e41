package dev.capsem.cli.record;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Progress;
import dev.capsem.cli.screen.Screen;
import dev.capsem.cli.screen.Table;
import dev.capsem.wire.service.HistoryReply;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// `capsem history`
@Command(
        footer = {
            "",
            "Commands, and indented below them the programs that they started, each once (--all: every",
            "process). What a program says of itself can be forged inside; that it started cannot be hidden.",
            "",
            "Examples:",
            "  capsem history lab",
            "  capsem history lab --tail 20 --search make",
            "  capsem history lab --json | jq '.commands[] | select(.exit_code != 0)'"
        })
public final class HistoryCommand extends PrintingCommand {
    private static final int COMMAND_WIDTH = 80;

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name or id of the sandbox.")
    String session = "";

    @Option(names = "--tail", paramLabel = "N", description = "How many of the newest (${DEFAULT-VALUE}).")
    int tail = 500;

    @Option(names = "--search", paramLabel = "TEXT", description = "Only commands that contain this text.")
    String search = "";

    @Option(names = "--all", description = "Show every process that started inside.")
    boolean all;

    @Option(names = "--full", description = "Do not cut long commands.")
    boolean full;

    public HistoryCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> session = word);
    }

    @Override
    public int run() {
        HistoryReply.Shown shown = all ? HistoryReply.Shown.ALL : HistoryReply.Shown.FOLDED;
        HistoryReply reply = Progress.during(
                context.screen(), "reading", () -> context.service().history(session, tail, 0, search, shown));
        if (output.isJson()) {
            output.print(context.screen(), reply.toJson());
            return ExitCode.DONE;
        }
        if (reply.commands().isEmpty()) {
            context.screen().remark("no commands were recorded");
            return ExitCode.DONE;
        }
        print(context.screen(), reply.commands(), full ? Integer.MAX_VALUE : COMMAND_WIDTH);
        if (reply.hasMore() && !output.isQuiet()) {
            context.screen().remark(reply.commands().size() + " of " + reply.total() + " shown; more with --tail N");
        }
        return ExitCode.DONE;
    }

    /// Oldest first, as a shell's history reads; the service answers newest first.
    public static void print(Screen screen, List<HistoryReply.Entry> commands, int commandWidth) {
        var table = Table.of("TIME", ">EXIT", ">TOOK", "COMMAND")
                .cut(3, commandWidth)
                .yielding(3)
                .expendable(2);
        for (HistoryReply.Entry entry : commands.reversed()) {
            boolean isProcess = entry.layer().equals("audit");
            table.add(
                    time(entry.timestamp()),
                    entry.exitCode().map(String::valueOf).orElse(isProcess ? "" : "…"),
                    entry.durationMs().map(Amounts::millis).orElse(""),
                    isProcess ? "  " + entry.command() + times(entry.details()) : entry.command());
        }
        table.printTo(screen);
    }

    private static String times(JsonNode details) {
        return details.has("count") ? " ×" + details.path("count").asLong() : "";
    }

    /// Whole seconds: `2026-01-31T12:00:00Z`.
    private static String time(String timestamp) {
        return timestamp.replaceFirst("\\.\\d+", "");
    }
}
