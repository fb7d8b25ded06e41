package dev.capsem.cli.rules;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.command.RemoveMany;
import dev.capsem.cli.screen.Printable;
import dev.capsem.client.io.ServiceClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

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
public final class RulesRemoveCommand extends PrintingCommand {
    @Option(
            names = "--profile",
            paramLabel = "ID",
            description = "The profile to remove from (default: the one in use).")
    Optional<String> profile = Optional.empty();

    @Parameters(arity = "1..*", paramLabel = "RULE", description = "Ids of rules; `security.rules.` may be left out.")
    List<String> rules = new ArrayList<>();

    public RulesRemoveCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return many(words, given -> rules = given);
    }

    @Override
    public int run() {
        return new RemoveMany(context, output).each(rules, this::remove);
    }

    private RemoveMany.Removed remove(String rule) {
        String id = RuleNames.whole(rule);
        String query =
                profile.map(name -> "?profile=" + ServiceClient.encode(name)).orElse("");
        JsonNode reply = context.service().remove("/rules/" + ServiceClient.encode(id) + query);
        return new RemoveMany.Removed(
                reply, "removed " + Printable.line(reply.path("id").asString(id)));
    }
}
