package dev.capsem.cli.host;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import picocli.CommandLine.Command;

/// `capsem version`
@Command(footer = {"", "Examples:", "  capsem version"})
public final class VersionCommand extends PrintingCommand {
    public VersionCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return words.isEmpty();
    }

    @Override
    public int run() {
        if (output.isJson()) {
            output.print(
                    context.screen(), Json.object().put("version", version()).put("build", build()));
        } else {
            context.screen()
                    .print(
                            output.isQuiet()
                                    ? version()
                                    : "capsem " + version() + (build().isEmpty() ? "" : " (build " + build() + ")"));
        }
        return ExitCode.DONE;
    }

    /// A digest of the built programs; empty when they were not built by scripts/build.
    private static String build() {
        return System.getProperty("capsem.build", "");
    }

    private static String version() {
        try (InputStream in = VersionCommand.class.getResourceAsStream("/dev/capsem/cli/version.txt")) {
            return in == null ? "unknown" : new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
