package dev.capsem.cli.profile;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.profiles.corp.SigningKey;
import dev.capsem.wire.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `capsem profiles keygen`
@Command(
        footer = {
            "",
            "Writes NAME.key, which only you can read and which signs, and NAME.pub, which machines trust as",
            "/etc/capsem/corp.pub. minisign reads both.",
            "",
            "Examples:",
            "  capsem profiles keygen acme"
        })
public final class ProfilesKeygenCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The files' name, without .key and .pub.")
    String name = "";

    public ProfilesKeygenCommand(CliContext context) {
        super(context);
    }

    @Override
    public int run() {
        Path secret = context.directory().resolve(name + ".key");
        Path open = context.directory().resolve(name + ".pub");
        if (Files.exists(open)) {
            throw CliProblem.usage(open + " is there already", "move it away, or choose another name");
        }
        SigningKey key = SigningKey.generate(new SecureRandom());
        KeyFile.write(secret, key.encode(), "rw-------");
        KeyFile.write(open, key.verifyingKey().encode(), "rw-r--r--");
        if (output.isJson()) {
            output.print(
                    context.screen(),
                    Json.object()
                            .put("secret_key", secret.toString())
                            .put("public_key", open.toString())
                            .put("key_id", key.verifyingKey().name()));
        } else if (!output.isQuiet()) {
            context.screen().print("secret key  " + secret);
            context.screen().print("public key  " + open);
        }
        return ExitCode.DONE;
    }
}
