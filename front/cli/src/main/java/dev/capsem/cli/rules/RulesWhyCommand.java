package dev.capsem.cli.rules;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.wire.json.Json;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `capsem rules why`
@Command(
        footer = {
            "",
            "Names the rule that decided, the rules that almost did and what kept them, and the narrowest rule",
            "that would allow it. That rule was tried on the event before it is shown.",
            "",
            "Examples:",
            "  capsem rules why lab                              the newest block or question",
            "  capsem rules why lab 01JH…                        one event, by its id",
            "  capsem rules why lab --toml | capsem rules add -  allow it from now on"
        })
public final class RulesWhyCommand extends PrintingCommand {
    @Option(names = "--all", description = "Show every rule that was evaluated.")
    boolean all;

    @Option(names = "--toml", description = "Print only the rule that would allow it.")
    boolean toml;

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name or id of the sandbox.")
    String session = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "EVENT", description = "The id of an event.")
    Optional<String> event = Optional.empty();

    public RulesWhyCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        if (words.isEmpty() || words.size() > 2) {
            return false;
        }
        session = words.getFirst();
        event = words.stream().skip(1).findFirst();
        return true;
    }

    @Override
    public int run() {
        ObjectNode question = Json.object().put("sandbox", session);
        event.ifPresent(id -> question.put("event_id", id));
        JsonNode reply = context.service().post("/rules/explain", question);
        if (output.isJson()) {
            output.print(context.screen(), reply);
            return ExitCode.DONE;
        }
        ExplainedDecision explanation = ExplainedDecision.fromJson(reply);
        if (toml) {
            return printToml(explanation);
        }
        String again = "capsem rules why " + session + event.map(id -> " " + id).orElse("") + " --toml";
        ExplanationPrinter.onStdout(context.screen()).print(explanation, all, Optional.of(again));
        return ExitCode.DONE;
    }

    private int printToml(ExplainedDecision explanation) {
        ExplainedDecision.Suggestion suggestion = explanation
                .suggestion()
                .filter(found -> !found.toml().isEmpty())
                .orElseThrow(() -> CliProblem.of(
                        "no_rule_would_allow_it",
                        explanation.decision().equals("allow")
                                ? "it is allowed already"
                                : "no rule of yours would allow it",
                        "see why: capsem rules why " + session));
        context.screen().print(suggestion.toml().strip());
        return ExitCode.DONE;
    }
}
