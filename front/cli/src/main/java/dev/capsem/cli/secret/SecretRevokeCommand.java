package dev.capsem.cli.secret;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Printable;
import dev.capsem.client.io.RequestTarget;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// `capsem secret revoke`
@Command(
        footer = {
            "",
            "From the next request on the credential does not leave any more. The stored secret stays:",
            "capsem secret rm NAME forgets it.",
            "",
            "Examples:",
            "  capsem secret revoke anthropic"
        })
public final class SecretRevokeCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "Name of the grant.")
    String name = "";

    @Option(names = "--profile", paramLabel = "ID", description = "The profile it is in (default: the one in use).")
    Optional<String> profile = Optional.empty();

    public SecretRevokeCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> name = word);
    }

    @Override
    public int run() {
        JsonNode reply = context.service()
                .remove(new RequestTarget("grants", name)
                        .with("profile", profile)
                        .toString());
        if (output.isJson()) {
            output.print(context.screen(), reply);
        } else if (!output.isQuiet()) {
            context.screen().print("revoked " + Printable.line(name));
        }
        return ExitCode.DONE;
    }
}
