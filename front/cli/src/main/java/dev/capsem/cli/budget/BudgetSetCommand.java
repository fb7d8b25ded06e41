package dev.capsem.cli.budget;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.client.io.RequestTarget;
import dev.capsem.wire.json.Json;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `capsem budget set`
@Command(
        footer = {
            "",
            "Writes the budget into your profile, in place of one of that name; it holds at once, in sandboxes",
            "that run as well. All budgets that count a call must have room for it.",
            "",
            "Examples:",
            "  capsem budget set daily 5usd --window day --zone Europe/Berlin",
            "  capsem budget set opus 2usd --window day --match 'model.request.model.startsWith(\"claude-opus\")'",
            "  capsem budget set calls 500requests --window hour --then stop"
        })
public final class BudgetSetCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "Name of the budget.")
    String name = "";

    @Parameters(index = "1", paramLabel = "LIMIT", description = "Like 5usd, 200000tokens, 50requests.")
    String limit = "";

    @Option(
            names = "--window",
            paramLabel = "WINDOW",
            description = "run, session, hour, day, week, month or total (default: session).")
    Optional<String> window = Optional.empty();

    @Option(names = "--zone", paramLabel = "ZONE", description = "Time zone in which days begin (default: UTC).")
    Optional<String> zone = Optional.empty();

    @Option(names = "--match", paramLabel = "CONDITION", description = "Count only calls that meet it.")
    Optional<String> match = Optional.empty();

    @Option(names = "--soft", paramLabel = "PERCENT", description = "Warn from this part of the limit on.")
    Optional<Integer> soft = Optional.empty();

    @Option(names = "--then", paramLabel = "WHAT", description = "At the limit: warn, ask or stop (default: ask).")
    Optional<String> then = Optional.empty();

    @Option(
            names = "--unpriced",
            paramLabel = "WHAT",
            description = "Calls without a known price: block or count-tokens (default: block).")
    Optional<String> unpriced = Optional.empty();

    @Option(names = "--profile", paramLabel = "ID", description = "The profile to write (default: the one in use).")
    Optional<String> profile = Optional.empty();

    public BudgetSetCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        if (words.size() != 2) {
            return false;
        }
        name = words.get(0);
        limit = words.get(1);
        return true;
    }

    @Override
    public int run() {
        ObjectNode budget = Json.object().put("name", name).put("limit", limit);
        window.ifPresent(text -> budget.put("window", text));
        zone.ifPresent(text -> budget.put("zone", text));
        match.ifPresent(text -> budget.put("match", text));
        soft.ifPresent(percent -> budget.put("soft", percent));
        then.ifPresent(text -> budget.put("then", text));
        unpriced.ifPresent(text -> budget.put("unpriced", text));
        JsonNode reply = context.service()
                .post(new RequestTarget("budgets").with("profile", profile).toString(), budget);
        if (output.isJson()) {
            output.print(context.screen(), reply);
        } else if (!output.isQuiet()) {
            context.screen()
                    .remark("the budget " + name + " is in force in the profile "
                            + reply.path("profile_id").asString(""));
        }
        return ExitCode.DONE;
    }
}
