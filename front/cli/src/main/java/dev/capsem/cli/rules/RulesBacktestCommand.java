package dev.capsem.cli.rules;

import dev.capsem.cli.CapsemCommand;
import dev.capsem.cli.CliContext;
import dev.capsem.cli.ExitCode;
import dev.capsem.cli.OutputOptions;
import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Progress;
import dev.capsem.cli.screen.Screen;
import dev.capsem.cli.screen.Table;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `capsem rules backtest`
@Command(
        footer = {
            "",
            "Judges everything recorded in the sandbox by these rules and shows what would be decided",
            "otherwise. Nothing is changed. Exit code 1 when the file has a mistake.",
            "",
            "Examples:",
            "  capsem rules backtest my-rules.toml lab",
            "  capsem rules backtest my-rules.toml lab --profile coding --all"
        })
public final class RulesBacktestCommand implements CapsemCommand {
    @Mixin
    OutputOptions output = new OutputOptions();

    @Option(names = "--profile", paramLabel = "ID", description = "Together with the rules of this profile.")
    Optional<String> profile = Optional.empty();

    @Option(names = "--all", description = "Also what would be decided as before.")
    boolean all;

    @Parameters(index = "0", paramLabel = "FILE", description = "A file with rules, or - for stdin.")
    String file = "";

    @Parameters(index = "1", paramLabel = "SESSION", description = "The sandbox.")
    String session = "";

    private final CliContext context;

    public RulesBacktestCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public boolean takePlain(OutputOptions given, List<String> words) {
        if (words.size() != 2) {
            return false;
        }
        output = given;
        file = words.get(0);
        session = words.get(1);
        return true;
    }

    @Override
    public int run() {
        SourceFile source = SourceFile.read(context, file);
        ObjectNode question = RulesCheckCommand.question(source, profile).put("sandbox", session);
        JsonNode reply;
        try (var _ = Progress.of(context.screen(), "judging what was recorded")) {
            reply = context.service().post("/rules/backtest", question);
        }
        List<Finding> findings = Finding.of(reply);
        boolean isBroken = findings.stream().anyMatch(finding -> !finding.isWarning());
        if (output.isJson()) {
            output.print(context.screen(), reply);
        } else {
            var printer = new FindingPrinter(context.screen());
            findings.forEach(finding -> printer.print(finding, source));
            if (!isBroken) {
                print(JsonMembers.of(reply, ""));
            }
        }
        return isBroken ? ExitCode.NO : ExitCode.DONE;
    }

    private void print(JsonMembers reply) {
        Screen screen = context.screen();
        var table = Table.of("BEFORE", "AFTER", "RULE", ">TIMES", "WHAT")
                .yielding(2)
                .yielding(4);
        for (JsonMembers row : reply.objects("rows")) {
            if (all || row.flag("changed", false)) {
                table.add(
                        row.optionalText("before").orElse(""),
                        row.optionalText("after").orElse(""),
                        RuleNames.shown(row.optionalText("rule").orElse("no rule")),
                        String.valueOf(row.number("occurrences", 1)),
                        row.optionalText("type").orElse("") + " "
                                + row.optionalText("subject").orElse(""));
            }
        }
        if (!table.isEmpty()) {
            table.printTo(screen);
        }
        if (!output.isQuiet()) {
            screen.print(Amounts.counted(reply.number("total", 0), "event") + " judged, " + reply.number("changed", 0)
                    + " decided otherwise");
            if (reply.flag("truncated", false)) {
                screen.remark("only the first are shown");
            }
        }
    }
}
