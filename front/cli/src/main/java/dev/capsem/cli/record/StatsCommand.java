package dev.capsem.cli.record;

import dev.capsem.cli.CapsemCommand;
import dev.capsem.cli.CliContext;
import dev.capsem.cli.ExitCode;
import dev.capsem.cli.OutputOptions;
import dev.capsem.cli.screen.Facts;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/// `capsem stats`
@Command(footer = {"", "Examples:", "  capsem stats", "  capsem stats --json | jq .global"})
public final class StatsCommand implements CapsemCommand {
    @Mixin
    OutputOptions output = new OutputOptions();

    private final CliContext context;

    public StatsCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public boolean takePlain(OutputOptions given, List<String> words) {
        output = given;
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
