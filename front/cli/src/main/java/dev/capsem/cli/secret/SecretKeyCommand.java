package dev.capsem.cli.secret;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.wire.json.Json;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// `capsem secret key`
@Command(
        footer = {
            "",
            "Secrets are encrypted in ~/.capsem/secrets.json (AES-256-GCM). Their key is in secrets.key beside",
            "it, which only you can read, or in the keyring of your account. While the keyring is locked,",
            "grants and MCP servers have no secrets. Moving the key encrypts everything anew.",
            "",
            "Examples:",
            "  capsem secret key keyring",
            "  capsem secret key file"
        })
public final class SecretKeyCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "PLACE", description = "file or keyring.")
    String place = "";

    public SecretKeyCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> place = word);
    }

    @Override
    public int run() {
        JsonNode reply = context.service().post("/secrets/key", Json.object().put("place", place));
        if (output.isJson()) {
            output.print(context.screen(), reply);
        } else if (!output.isQuiet()) {
            context.screen()
                    .print(
                            reply.path("key").asString("").equals("keyring")
                                    ? "the key of your secrets is in the keyring now"
                                    : "the key of your secrets is in secrets.key now");
        }
        return ExitCode.DONE;
    }
}
