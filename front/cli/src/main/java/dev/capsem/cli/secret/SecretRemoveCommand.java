package dev.capsem.cli.secret;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.command.RemoveMany;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `capsem secret rm`
@Command(footer = {"", "Examples:", "  capsem secret rm docs-token"})
public final class SecretRemoveCommand extends PrintingCommand {
    @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of secrets.")
    List<String> names = new ArrayList<>();

    public SecretRemoveCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return many(words, given -> names = given);
    }

    @Override
    public int run() {
        return new RemoveMany(context, output).at("/secrets/", names, "forgot");
    }
}
