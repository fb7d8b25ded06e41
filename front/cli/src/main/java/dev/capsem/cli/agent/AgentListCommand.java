package dev.capsem.cli.agent;

import dev.capsem.cli.agent.recipe.AgentRecipe;
import dev.capsem.cli.agent.recipe.RecipeShelf;
import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Table;
import dev.capsem.wire.json.Json;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import tools.jackson.databind.node.ArrayNode;

/// `capsem agent list`
@Command(
        footer = {
            "",
            "A recipe says how an agent is found, what it may reach and which login goes with it. Yours are in",
            "~/.capsem/agents; one with the name of a shipped one takes its place.",
            "",
            "Examples:",
            "  capsem agent list"
        })
public final class AgentListCommand extends PrintingCommand {
    public AgentListCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return words.isEmpty();
    }

    @Override
    public int run() {
        AgentHome home = AgentHome.of(context);
        var finder = new AgentFinder(context.environment(), home.user());
        var table = Table.of("AGENT", "NAME", "RECIPE", "VERSION", "FOUND")
                .yielding(4)
                .expendable(1, 3);
        ArrayNode json = Json.object().putArray("agents");
        for (RecipeShelf.Entry entry : home.shelf().all()) {
            Optional<AgentRecipe> recipe = entry.reading().recipe();
            Optional<AgentFinder.Found> found = recipe.flatMap(finder::find);
            String place = recipe.isEmpty()
                    ? "the recipe has a mistake"
                    : found.map(agent -> agent.link().toString()).orElse("not installed");
            table.add(
                    entry.name(),
                    recipe.map(AgentRecipe::title).orElse(""),
                    entry.own() ? "yours" : "shipped",
                    found.flatMap(AgentFinder.Found::version).orElse(""),
                    place);
            json.addObject()
                    .put("name", entry.name())
                    .put("own", entry.own())
                    .put("valid", recipe.isPresent())
                    .put("found", found.map(agent -> agent.link().toString()).orElse(""));
        }
        if (output.isJson()) {
            output.print(context.screen(), Json.object().set("agents", json));
        } else {
            table.printTo(context.screen());
        }
        return ExitCode.DONE;
    }
}
