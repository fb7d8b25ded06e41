package dev.capsem.cli.rules;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Progress;
import dev.capsem.cli.screen.Table;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// `capsem rules backtest`
@Command(
        footer = {
            "",
            "Shows what was recorded in the sandbox that each rule matches, alike events once. Nothing is",
            "changed. Exit code 1 when the file has a mistake.",
            "",
            "Examples:",
            "  capsem rules backtest my-rules.toml lab"
        })
public final class RulesBacktestCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "FILE", description = "A file with rules, or - for stdin.")
    String file = "";

    @Parameters(index = "1", paramLabel = "SANDBOX", description = "Name or id of the sandbox.")
    String session = "";

    public RulesBacktestCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        if (words.size() != 2) {
            return false;
        }
        file = words.get(0);
        session = words.get(1);
        return true;
    }

    @Override
    public int run() {
        SourceFile source = SourceFile.read(context, file);
        JsonNode check = context.service().post("/rules/check", RulesCheckCommand.question(source, Optional.empty()));
        if (!check.path("ok").asBoolean(false)) {
            var printer = new FileProblemPrinter(context.screen());
            FileProblem.of(check).forEach(finding -> printer.print(finding, source));
            return ExitCode.NO;
        }
        ArrayNode replies = Json.array();
        var table = Table.of("RULE", "DECISION", "WHAT").yielding(2);
        long matches = 0;
        long undecided = 0;
        try (var _ = Progress.of(context.screen(), "judging what was recorded")) {
            for (WrittenRule rule : WrittenRule.of(source)) {
                JsonNode reply = context.service().post("/enforcement/backtest", request(rule, source));
                replies.add(reply);
                matches += reply.path("total_matches").asLong(0);
                undecided += reply.path("undecided").asLong(0);
                JsonMembers.of(reply, "")
                        .objects("rows")
                        .forEach(row -> table.add(
                                RuleNames.shown(rule.id()),
                                rule.text("decision"),
                                rule.text("on") + ": " + facts(row)));
            }
        }
        print(replies, table, matches, undecided);
        return ExitCode.DONE;
    }

    private void print(ArrayNode replies, Table table, long matches, long undecided) {
        if (output.isJson()) {
            output.print(context.screen(), replies.size() == 1 ? replies.get(0) : replies);
            return;
        }
        if (!table.isEmpty()) {
            table.printTo(context.screen());
        }
        if (!output.isQuiet()) {
            context.screen()
                    .print(matches == 0 ? "nothing matches" : Amounts.counted(matches, "event") + " would match");
            if (undecided > 0) {
                context.screen()
                        .print(Amounts.counted(undecided, "event")
                                + " cannot be judged again: the record does not keep what the rule reads");
            }
        }
    }

    /// A rule is only matched here, so that its decision does not count, and only two may be sent.
    private ObjectNode request(WrittenRule rule, SourceFile source) {
        ObjectNode request = Json.object().put("sandbox", session);
        if (!source.lists().isEmpty()) {
            source.lists().forEach(request.putObject("lists")::put);
        }
        ObjectNode written = request.putObject("rule")
                .put("id", RuleNames.shown(rule.id()))
                .put("on", rule.text("on"))
                .put("condition", rule.text("if"))
                .put("decision", rule.text("decision").equals("allow") ? "allow" : "block");
        if (!rule.text("zone").isEmpty()) {
            written.put("zone", rule.text("zone"));
        }
        return request;
    }

    /// `process.exec.command = curl x`
    private static String facts(JsonMembers row) {
        return String.join(
                ", ",
                row.objects("matched_fields").stream()
                        .map(field -> field.optionalText("path").orElse("") + " = "
                                + field.optionalText("value").orElse(""))
                        .toList());
    }
}
