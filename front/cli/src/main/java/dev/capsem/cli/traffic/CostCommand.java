package dev.capsem.cli.traffic;

import dev.capsem.cli.budget.BudgetStandings;
import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Progress;
import dev.capsem.cli.screen.Table;
import dev.capsem.client.io.ServiceClient;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `capsem cost`
@Command(
        footer = {
            "",
            "A trace is one turn of an agent: a prompt of yours and all calls until its answer. `+ ?` means",
            "that the price of some calls is not known; they are counted, not guessed. Below the table stands",
            "what is left of budgets; as JSON it is `budgets`.",
            "",
            "Examples:",
            "  capsem cost",
            "  capsem cost lab",
            "  capsem cost lab --by model",
            "  capsem cost lab --json | jq .total.cost_usd"
        })
public final class CostCommand extends PrintingCommand {
    private static final List<String> BREAKDOWNS = List.of("trace", "model", "process");
    private static final List<String> BREAKDOWNS_OF_ALL = List.of("sandbox", "model", "process");
    private static final int KEY_WIDTH = 40;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "SANDBOX",
            description = "Name or id of the sandbox (default: all).")
    Optional<String> session = Optional.empty();

    @Option(
            names = "--by",
            paramLabel = "WHAT",
            description =
                    "Rows by trace, model or process (trace); of all sandboxes by sandbox, model or process (sandbox).")
    Optional<String> by = Optional.empty();

    public CostCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        if (words.size() > 1) {
            return false;
        }
        session = words.stream().findFirst();
        return true;
    }

    @Override
    public int run() {
        List<String> breakdowns = session.isPresent() ? BREAKDOWNS : BREAKDOWNS_OF_ALL;
        String wanted = by.orElse(breakdowns.getFirst());
        if (!breakdowns.contains(wanted)) {
            throw CliProblem.usage(
                    "there is no breakdown by " + wanted, "use --by " + String.join(", --by ", breakdowns));
        }
        String target =
                "/cost" + session.map(id -> "/" + ServiceClient.encode(id)).orElse("") + "?by=" + wanted;
        JsonNode report = Progress.during(
                context.screen(), "adding up", () -> context.service().get(target));
        BudgetStandings budgets = BudgetStandings.ask(context.service(), session);
        if (output.isJson()) {
            if (report instanceof ObjectNode whole) {
                whole.set("budgets", budgets.json());
            }
            output.print(context.screen(), report);
            return ExitCode.DONE;
        }
        if (report.path("rows").isEmpty()) {
            context.screen().remark("no model was called");
        } else {
            print(report, wanted);
        }
        if (!output.isQuiet()) {
            budgets.lines().forEach(context.screen()::remark);
        }
        return ExitCode.DONE;
    }

    private void print(JsonNode report, String wanted) {
        boolean isByTrace = wanted.equals("trace");
        var table = isByTrace
                ? Table.of("STARTED", "TRACE", "MODEL", ">CALLS", ">INPUT", ">OUTPUT", ">CACHED", ">TIME", ">COST")
                        .cut(2, KEY_WIDTH)
                        .yielding(2)
                        .key(1)
                        .expendable(7, 6, 2, 0)
                : Table.of(wanted.toUpperCase(Locale.ROOT), ">CALLS", ">INPUT", ">OUTPUT", ">CACHED", ">TIME", ">COST")
                        .cut(0, KEY_WIDTH)
                        .expendable(5, 4);
        for (JsonNode row : report.path("rows")) {
            String key = row.path("key").asString("unknown");
            if (isByTrace) {
                table.add(
                        row.path("first_at").asString("").replaceFirst("\\.\\d+", ""),
                        key,
                        row.path("models").asString("unknown"),
                        number(row, "calls"),
                        number(row, "input_tokens"),
                        number(row, "output_tokens"),
                        number(row, "cache_read_tokens"),
                        time(row),
                        cost(row));
            } else {
                add(table, key, row);
            }
        }
        JsonNode total = report.path("total");
        if (isByTrace) {
            table.add(
                    "",
                    "total",
                    "",
                    number(total, "calls"),
                    number(total, "input_tokens"),
                    number(total, "output_tokens"),
                    number(total, "cache_read_tokens"),
                    time(total),
                    cost(total));
        } else {
            add(table, "total", total);
        }
        table.printTo(context.screen());
        long unknown = total.path("unknown_calls").asLong(0);
        if (unknown > 0 && !output.isQuiet()) {
            context.screen().remark("the price of " + Amounts.counted(unknown, "call") + " is not known");
        }
    }

    private static void add(Table table, String key, JsonNode row) {
        table.add(
                key,
                number(row, "calls"),
                number(row, "input_tokens"),
                number(row, "output_tokens"),
                number(row, "cache_read_tokens"),
                time(row),
                cost(row));
    }

    private static String number(JsonNode row, String name) {
        return Long.toString(row.path(name).asLong(0));
    }

    private static String time(JsonNode row) {
        return Amounts.millis(row.path("duration_ms").asLong(0));
    }

    /// `$0.0123`, `$0.0123 + ?`, `?`
    static String cost(JsonNode row) {
        long unknown = row.path("unknown_calls").asLong(0);
        if (unknown > 0 && unknown == row.path("calls").asLong(0)) {
            return "?";
        }
        String known =
                String.format(Locale.ROOT, "$%.4f", row.path("known_cost_usd").asDouble(0));
        return unknown == 0 ? known : known + " + ?";
    }
}
