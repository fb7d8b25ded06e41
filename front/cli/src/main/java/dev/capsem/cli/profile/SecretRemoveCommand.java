package dev.capsem.cli.profile;

import dev.capsem.cli.CapsemCommand;
import dev.capsem.cli.CliContext;
import dev.capsem.cli.OutputOptions;
import dev.capsem.cli.Removals;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `capsem secret rm`
@Command(footer = {"", "Examples:", "  capsem secret rm docs-token"})
public final class SecretRemoveCommand implements CapsemCommand {
    @Mixin
    OutputOptions output = new OutputOptions();

    @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of secrets.")
    List<String> names = new ArrayList<>();

    private final CliContext context;

    public SecretRemoveCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public boolean takePlain(OutputOptions given, List<String> words) {
        output = given;
        names = words;
        return !words.isEmpty();
    }

    @Override
    public int run() {
        return Removals.run(context, output, "/secrets/", names, "forgot");
    }
}
