package dev.capsem.cli.agent;

import dev.capsem.cli.agent.recipe.AgentRecipe;
import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Facts;
import dev.capsem.cli.screen.Printable;
import dev.capsem.wire.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `capsem agent test`
@Command(
        footer = {
            "",
            "Says whether the agent is found, what of this host it would see, and where its login would come",
            "from. Starts nothing and sends nothing. Exit code 1 if it could not be run.",
            "",
            "Examples:",
            "  capsem agent test claude"
        })
public final class AgentTestCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The agent.")
    String name = "";

    public AgentTestCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> name = word);
    }

    @Override
    public int run() {
        AgentHome home = AgentHome.of(context);
        AgentRecipe recipe = AgentCommand.recipe(home.shelf(), name);
        var finder = new AgentFinder(context.environment(), home.user());
        Optional<AgentFinder.Found> found = finder.find(recipe);
        String login = login(recipe, finder);
        boolean isReady = found.isPresent() && (!login.isEmpty() || !recipe.needsLogin());
        String shown = found.map(
                        agent -> agent.mounts().stream().map(Path::toString).collect(Collectors.joining(", ")))
                .orElse("");
        if (output.isJson()) {
            output.print(
                    context.screen(),
                    Json.object()
                            .put("name", name)
                            .put(
                                    "found",
                                    found.map(agent -> agent.link().toString()).orElse(""))
                            .put("shown", shown)
                            .put("login", login)
                            .put("ok", isReady));
        } else {
            var facts = new Facts();
            facts.add(
                    "found",
                    found.map(agent -> agent.link().toString())
                            .orElse("nowhere; see `capsem agent show " + name + "`"));
            facts.add("version", found.flatMap(AgentFinder.Found::version).orElse("unknown"));
            facts.add("inside", shown.isEmpty() ? "nothing more than every sandbox sees" : shown);
            facts.add("login", login.isEmpty() ? "none was found" : login);
            facts.printTo(context.screen());
            if (!isReady) {
                context.screen().remark(Printable.line(name) + " could not be run");
            }
        }
        return isReady ? ExitCode.DONE : ExitCode.NO;
    }

    /// Without the secret store, which is asked when the agent is run.
    private String login(AgentRecipe recipe, AgentFinder finder) {
        return recipe.logins().stream()
                .flatMap(login -> {
                    boolean isSet = !context.environment()
                            .getOrDefault(login.variable(), "")
                            .isBlank();
                    Optional<String> file = login.file()
                            .map(finder::expanded)
                            .filter(Files::isReadable)
                            .map(Path::toString);
                    return isSet ? Optional.of("$" + login.variable()).stream() : file.stream();
                })
                .collect(Collectors.joining(", "));
    }
}
