package dev.capsem.cli.token;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.command.RemoveMany;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `capsem token revoke`
@Command(footer = {"", "Examples:", "  capsem token revoke 390ad1d7", "  capsem token revoke dashboard"})
public final class TokenRevokeCommand extends PrintingCommand {
    @Parameters(arity = "1..*", paramLabel = "ID", description = "Ids of tokens, or names: then all of that name.")
    List<String> ids = new ArrayList<>();

    public TokenRevokeCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return many(words, given -> ids = given);
    }

    @Override
    public int run() {
        return new RemoveMany(context, output).at("/tokens/", ids, "revoked");
    }
}
