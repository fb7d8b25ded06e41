package dev.capsem.cli.secret;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.HiddenPrompt;
import dev.capsem.cli.screen.Printable;
import dev.capsem.client.io.ServiceClient;
import dev.capsem.profiles.secret.SecretName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// `capsem secret set`
@Command(
        footer = {
            "",
            "On a terminal it asks and shows nothing of what you type; otherwise it reads stdin, without one",
            "line end at its end. Never on the command line, where others can read it. A profile names the",
            "secret as $${secret:NAME}.",
            "",
            "Examples:",
            "  capsem secret set docs-token",
            "  capsem secret set docs-token < token.txt"
        })
public final class SecretSetCommand extends PrintingCommand {
    /// The limit of the service.
    private static final int BYTES_MAX = 64 * 1024;

    @Parameters(index = "0", paramLabel = "NAME", description = "Lower-case letters, digits, . _ and -.")
    String name = "";

    public SecretSetCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> name = word);
    }

    @Override
    public int run() {
        if (!SecretName.isValid(name)) {
            throw CliProblem.usage(
                    "\"" + Printable.line(name) + "\" is no name for a secret: a name has " + SecretName.FORM,
                    "for example: capsem secret set docs-token");
        }
        byte[] value = context.screen().terminals().in() ? HiddenPrompt.ask("value of " + name + ": ") : fromStdin();
        try {
            if (value.length == 0) {
                throw CliProblem.usage("the value is empty", "to forget a secret: capsem secret rm " + name);
            }
            JsonNode reply = context.service().put("/secrets/" + ServiceClient.encode(name), value);
            if (output.isJson()) {
                output.print(context.screen(), reply);
            } else if (!output.isQuiet()) {
                context.screen().print("kept " + Printable.line(name));
            }
            return ExitCode.DONE;
        } finally {
            Arrays.fill(value, (byte) 0);
        }
    }

    private byte[] fromStdin() {
        try {
            byte[] all = context.screen().in().readNBytes(BYTES_MAX + 2);
            int length = all.length;
            if (length > 0 && all[length - 1] == '\n') {
                length--;
            }
            if (length > 0 && length < all.length && all[length - 1] == '\r') {
                length--;
            }
            if (length > BYTES_MAX) {
                throw CliProblem.usage(
                        "the value is longer than " + BYTES_MAX / 1024 + " KiB", "is it the right file?");
            }
            byte[] value = Arrays.copyOf(all, length);
            Arrays.fill(all, (byte) 0);
            return value;
        } catch (IOException failure) {
            throw new UncheckedIOException("stdin cannot be read", failure);
        }
    }
}
