package dev.capsem.cli.sandboxes;

import dev.capsem.cli.budget.BudgetStandings;
import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Progress;
import dev.capsem.cli.screen.Table;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.SandboxSummary;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// `capsem list`
@Command(
        footer = {
            "",
            "COMMAND is the last one that was started. CHANGES are those of its copy of your project, without",
            "files that git ignores. Below the table stands what is left of budgets. With -q only ids, one",
            "per line.",
            "",
            "Examples:",
            "  capsem list",
            "  capsem rm $(capsem list -q)",
            "  capsem list --json | jq '.sandboxes[].status'"
        })
public final class ListCommand extends PrintingCommand {
    private static final int ERROR_LENGTH_MAX = 100;
    private static final int COMMAND_LENGTH_MAX = 40;
    /// So begins the reason of a sandbox that the service stopped at a limit.
    private static final String BY_LIMIT = "stopped: ";

    public ListCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return words.isEmpty();
    }

    @Override
    public int run() {
        List<SandboxSummary> sandboxes = Progress.during(context.screen(), "asking", context.service()::list).stream()
                .sorted(Comparator.comparing(SandboxSummary::id))
                .toList();
        if (output.isQuiet()) {
            sandboxes.forEach(sandbox -> context.screen().print(sandbox.id()));
            return ExitCode.DONE;
        }
        BudgetStandings budgets = BudgetStandings.ask(context.service(), Optional.empty());
        if (output.isJson()) {
            ObjectNode json = Json.object();
            ArrayNode array = json.putArray("sandboxes");
            sandboxes.forEach(sandbox -> array.add(sandbox.toJson()));
            json.set("budgets", budgets.json());
            output.print(context.screen(), json);
        } else if (sandboxes.isEmpty()) {
            context.screen().remark("no sandboxes; make one: capsem create, or run a command: capsem run -- id");
        } else {
            print(sandboxes, budgets);
        }
        return ExitCode.DONE;
    }

    private void print(List<SandboxSummary> sandboxes, BudgetStandings budgets) {
        var table = Table.of("NAME", "STATUS", "KEPT", ">RAM", ">CPUS", ">UPTIME", ">CHANGES", "COMMAND", "PROJECT")
                .yielding(7)
                .yielding(8)
                .expendable(4, 3, 2, 5, 8, 6);
        for (SandboxSummary sandbox : sandboxes) {
            table.add(
                    sandbox.id(),
                    sandbox.status().toLowerCase(java.util.Locale.ROOT),
                    sandbox.persistent() ? "yes" : "no",
                    sandbox.ramMb().map(mb -> mb + " MB").orElse(""),
                    sandbox.cpus().map(String::valueOf).orElse(""),
                    sandbox.uptimeSecs().map(Amounts::duration).orElse(""),
                    sandbox.changes().map(String::valueOf).orElse(""),
                    shortened(sandbox.lastCommand().orElse(""), COMMAND_LENGTH_MAX),
                    sandbox.lastError()
                            .map(why -> shortened(why.startsWith(BY_LIMIT) ? why : "broken: " + why, ERROR_LENGTH_MAX))
                            .or(sandbox::project)
                            .orElse(""));
        }
        table.printTo(context.screen());
        budgets.lines().forEach(context.screen()::remark);
    }

    /// The last words of a crashed process are kilobytes of log; `info` has them all.
    private static String shortened(String text, int lengthMax) {
        return text.length() <= lengthMax ? text : text.substring(0, lengthMax - 1) + "…";
    }
}
