package dev.capsem.cli.host;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Progress;
import dev.capsem.cli.screen.Screen;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import picocli.CommandLine.Command;
import tools.jackson.databind.JsonNode;

/// `capsem reload`
@Command(
        footer = {
            "",
            "Changed files are noticed automatically. This command reads them at once and says",
            "what changed. A sandbox whose new rules have a mistake keeps its old ones; the exit code is 1",
            "then.",
            "",
            "Examples:",
            "  capsem reload"
        })
public final class ReloadCommand extends PrintingCommand {
    public ReloadCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return words.isEmpty();
    }

    @Override
    public int run() {
        Screen screen = context.screen();
        JsonNode reply;
        try (var _ = Progress.of(screen, "reloading")) {
            reply = context.service().reload();
        }
        if (output.isJson()) {
            output.print(screen, reply);
        } else {
            print(JsonMembers.of(reply, ""));
        }
        return reply.path("success").asBoolean(false) ? ExitCode.DONE : ExitCode.NO;
    }

    private void print(JsonMembers reply) {
        Screen screen = context.screen();
        Ink ink = screen.outInk();
        if (!output.isQuiet()) {
            long reloaded = reply.number("reloaded", 0);
            screen.print(ink.green("✓ ") + reloaded + (reloaded == 1 ? " sandbox" : " sandboxes") + " reloaded");
        }
        for (JsonMembers failure : reply.objects("failures")) {
            screen.print(ink.red("✗ ")
                    + Printable.line(failure.optionalText("session_id").orElse("?")) + ": "
                    + Printable.line(failure.optionalText("message").orElse("")));
        }
        if (reply.flag("success", false)) {
            for (JsonMembers problem : reply.objects("problems")) {
                screen.print(ink.yellow("! ") + place(problem) + ": "
                        + Printable.line(problem.optionalText("message").orElse("")));
            }
        }
        boolean isExplained = !reply.objects("failures").isEmpty();
        if (!isExplained) {
            reply.optionalText("message").ifPresent(message -> screen.print(Printable.text(message)));
        } else {
            screen.print("  these keep the rules they had");
        }
    }

    private static String place(JsonMembers problem) {
        return Printable.line(problem.optionalText("file").orElse("?"))
                + problem.optionalInteger("line").map(line -> ":" + line).orElse("");
    }
}
