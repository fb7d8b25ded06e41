package dev.capsem.cli.record;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Facts;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import tools.jackson.databind.JsonNode;

/// `capsem stats`
@Command(footer = {"", "Examples:", "  capsem stats", "  capsem stats --json | jq .global"})
public final class StatsCommand extends PrintingCommand {
    public StatsCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return words.isEmpty();
    }

    @Override
    public int run() {
        JsonNode stats = context.service().stats();
        if (output.isJson()) {
            output.print(context.screen(), stats);
            return ExitCode.DONE;
        }
        var facts = new Facts();
        for (Map.Entry<String, JsonNode> total : stats.path("global").properties()) {
            if (total.getValue().isValueNode()) {
                facts.add(
                        total.getKey().replace('_', ' '),
                        total.getValue().isNull() ? "unknown" : total.getValue().asString());
            }
        }
        facts.add("sessions listed", Integer.toString(stats.path("sessions").size()));
        facts.printTo(context.screen());
        return ExitCode.DONE;
    }
}
