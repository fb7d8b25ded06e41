package dev.capsem.cli.agent;

import dev.capsem.cli.agent.recipe.RecipeShelf;
import dev.capsem.cli.command.CliContext;
import dev.capsem.wire.HomeLayout;
import java.nio.file.Path;
import java.util.Optional;

/// Where the user's things are, and Capsem's.
///
/// @param user where agents are installed and keep their settings
record AgentHome(Path user, Path capsem) {
    static AgentHome of(CliContext context) {
        Path user = Optional.ofNullable(context.environment().get("HOME"))
                .filter(home -> home.startsWith("/"))
                .map(Path::of)
                .orElseGet(() -> Path.of(System.getProperty("user.home", "/")));
        Path capsem =
                HomeLayout.of(context.environment(), user, Path.of("/tmp")).home();
        return new AgentHome(user, capsem);
    }

    RecipeShelf shelf() {
        return new RecipeShelf(capsem);
    }
}
