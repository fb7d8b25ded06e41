package dev.capsem.cli.rules;

import dev.capsem.cli.CapsemCommand;
import dev.capsem.cli.CliContext;
import dev.capsem.cli.ExitCode;
import dev.capsem.cli.OutputOptions;
import dev.capsem.cli.screen.Printable;
import dev.capsem.client.io.ServiceClient;
import dev.capsem.wire.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/// `capsem rules remove`
@Command(
        footer = {
            "",
            "Rules of a built-in profile or of your company stay; a rule of yours with a lower priority can",
            "stand before a built-in one.",
            "",
            "Examples:",
            "  capsem rules remove http.allow_example_org",
            "  capsem rules remove security.rules.http.allow_example_org --profile my-team"
        })
public final class RulesRemoveCommand implements CapsemCommand {
    @Mixin
    OutputOptions output = new OutputOptions();

    @Option(
            names = "--profile",
            paramLabel = "ID",
            description = "The profile to remove from (default: the one in use).")
    Optional<String> profile = Optional.empty();

    @Parameters(arity = "1..*", paramLabel = "RULE", description = "Ids of rules; `security.rules.` may be left out.")
    List<String> rules = new ArrayList<>();

    private final CliContext context;

    public RulesRemoveCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public boolean takePlain(OutputOptions given, List<String> words) {
        output = given;
        rules = words;
        return !words.isEmpty();
    }

    @Override
    public int run() {
        ArrayNode replies = Json.array();
        String query = profile.map(id -> "?profile=" + ServiceClient.encode(id)).orElse("");
        for (String rule : rules) {
            String id = RuleNames.whole(rule);
            JsonNode reply = context.service().remove("/rules/" + ServiceClient.encode(id) + query);
            replies.add(reply);
            if (!output.isJson() && !output.isQuiet()) {
                context.screen()
                        .print("removed " + Printable.line(reply.path("id").asString(id)));
            }
        }
        if (output.isJson()) {
            output.print(context.screen(), replies.size() == 1 ? replies.get(0) : replies);
        }
        return ExitCode.DONE;
    }
}
