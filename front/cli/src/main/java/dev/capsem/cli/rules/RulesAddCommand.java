package dev.capsem.cli.rules;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Progress;
import dev.capsem.client.io.ServiceClient;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// `capsem rules add`
@Command(
        footer = {
            "",
            "They go into the profile's own file in ~/.capsem/profiles, and running sandboxes see them on",
            "their next event. With a mistake nothing is added; exit code 1 then. Expectations stay in your",
            "file.",
            "",
            "Examples:",
            "  capsem rules add my-rules.toml",
            "  capsem rules why lab --toml | capsem rules add -"
        })
public final class RulesAddCommand extends PrintingCommand {
    @Option(names = "--profile", paramLabel = "ID", description = "The profile to add to (default: the one in use).")
    Optional<String> profile = Optional.empty();

    @Parameters(index = "0", paramLabel = "FILE", description = "A file with rules, or - for stdin.")
    String file = "";

    public RulesAddCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> file = word);
    }

    @Override
    public int run() {
        SourceFile source = SourceFile.read(context, file);
        // Checked first, so that mistakes are shown at their place and not as one refusal.
        JsonNode check = Progress.during(
                context.screen(),
                "checking",
                () -> context.service().post("/rules/check", RulesCheckCommand.question(source, Optional.empty())));
        if (!check.path("ok").asBoolean(false)) {
            return refuse(source, check);
        }
        List<WrittenRule> rules = WrittenRule.of(source);
        requireNew(rules);
        ArrayNode added = Json.array();
        for (WrittenRule rule : rules) {
            ObjectNode request = Json.object().put("id", rule.id());
            profile.ifPresent(id -> request.put("profile", id));
            request.set("rule", rule.keys());
            added.add(Progress.during(
                    context.screen(), "adding", () -> context.service().post("/rules", request)));
            if (!output.isJson() && !output.isQuiet()) {
                context.screen().print(context.screen().outInk().green("added ") + Printable.line(rule.id()));
            }
        }
        if (output.isJson()) {
            output.print(context.screen(), added.size() == 1 ? added.get(0) : added);
        }
        return ExitCode.DONE;
    }

    /// Asked before the first is added, so that a name that is taken does not leave half of a file behind.
    private void requireNew(List<WrittenRule> rules) {
        String query = profile.map(id -> "?profile=" + ServiceClient.encode(id)).orElse("");
        var taken = new HashSet<String>();
        JsonMembers.of(context.service().get("/rules" + query), "")
                .objects("rules")
                .forEach(rule -> taken.add(rule.text("id")));
        for (WrittenRule rule : rules) {
            if (taken.contains(rule.id())) {
                throw CliProblem.of(
                        "rule_exists",
                        Printable.line(rule.id()) + " is there already; nothing was added",
                        "capsem rules remove " + Printable.line(RuleNames.shown(rule.id())) + ", or another name");
            }
        }
    }

    private int refuse(SourceFile source, JsonNode check) {
        if (output.isJson()) {
            output.print(context.screen(), check);
        } else {
            var printer = new FileProblemPrinter(context.screen());
            FileProblem.of(check).forEach(finding -> printer.print(finding, source));
            context.screen().remark("nothing was added");
        }
        return ExitCode.NO;
    }
}
