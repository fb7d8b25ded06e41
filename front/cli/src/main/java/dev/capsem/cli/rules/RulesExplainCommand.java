package dev.capsem.cli.rules;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `capsem rules explain`
@Command(
        footer = {
            "",
            "Nothing happens: the rules are only asked. PATH=VALUE gives a text, PATH:=VALUE a JSON value;",
            "docs/reference/rule-fields.md has the paths. A file is {\"on\": EVENT, \"given\": {…}}.",
            "",
            "Examples:",
            "  capsem rules explain --on http.request --given http.request.host=example.org",
            "  capsem rules explain --on process.exec --given 'process.exec.command=curl x' --sandbox lab",
            "  capsem rules explain event.json --profile locked-down"
        })
public final class RulesExplainCommand extends PrintingCommand {
    @Option(names = "--on", paramLabel = "EVENT", description = "The event, like http.request or process.exec.")
    Optional<String> on = Optional.empty();

    @Option(names = "--given", paramLabel = "PATH=VALUE", description = "A field of the event; may be repeated.")
    List<String> given = new ArrayList<>();

    @Option(names = "--profile", paramLabel = "ID", description = "Use the rules of this profile.")
    Optional<String> profile = Optional.empty();

    @Option(names = "--sandbox", paramLabel = "SANDBOX", description = "Use the rules in force in this sandbox.")
    Optional<String> sandbox = Optional.empty();

    @Option(names = "--all", description = "Show every rule that was evaluated.")
    boolean all;

    @Parameters(index = "0", arity = "0..1", paramLabel = "FILE", description = "The event as JSON, or - for stdin.")
    Optional<String> file = Optional.empty();

    public RulesExplainCommand(CliContext context) {
        super(context);
    }

    @Override
    public int run() {
        if (profile.isPresent() && sandbox.isPresent()) {
            throw CliProblem.usage("--profile and --sandbox exclude each other", "a sandbox has its own profile");
        }
        ObjectNode question = file.map(this::fromFile).orElseGet(this::fromOptions);
        profile.ifPresent(id -> question.put("profile", id));
        sandbox.ifPresent(id -> question.put("sandbox", id));
        JsonNode reply = context.service().post("/rules/explain", question);
        if (output.isJson()) {
            output.print(context.screen(), reply);
        } else {
            ExplanationPrinter.onStdout(context.screen())
                    .print(ExplainedDecision.fromJson(reply), all, Optional.empty());
        }
        return ExitCode.DONE;
    }

    private ObjectNode fromOptions() {
        String event = on.orElseThrow(() ->
                CliProblem.usage("which event?", "say --on http.request --given http.request.host=…, or name a file"));
        var facts = new GivenEvent();
        given.forEach(facts::add);
        ObjectNode question = Json.object().put("on", event);
        question.set("given", facts.node());
        return question;
    }

    private ObjectNode fromFile(String name) {
        if (on.isPresent() || !given.isEmpty()) {
            throw CliProblem.usage("a file and --on or --given exclude each other", "choose one");
        }
        try {
            if (Json.parse(SourceFile.read(context, name).text()) instanceof ObjectNode object) {
                return object;
            }
            throw CliProblem.usage(name + " is not a JSON object", "write {\"on\": …, \"given\": {…}}");
        } catch (JsonShapeException malformed) {
            throw CliProblem.usage(name + " is " + malformed.reason(), "write {\"on\": …, \"given\": {…}}");
        }
    }
}
