package dev.capsem.cli.diagnose;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import dev.capsem.client.io.RequestTarget;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/// `capsem panics`
@Command(
        footer = {
            "",
            "Every bug that ended a thread of capsem's programs, and every crash of their JVMs, newest first.",
            "",
            "Examples:",
            "  capsem panics --since 1d",
            "  capsem panics --json | jq '.panics[0].frames'"
        })
public final class PanicsCommand extends PrintingCommand {
    @Option(
            names = "--since",
            paramLabel = "WHEN",
            description = "Begin at this time, or this long ago: 90s, 30m, 6h, 2d.")
    Optional<String> since = Optional.empty();

    @Option(names = "--limit", paramLabel = "N", description = "At most this many (default: 20).")
    Optional<Integer> limit = Optional.empty();

    public PanicsCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return words.isEmpty();
    }

    @Override
    public int run() {
        JsonNode reply = context.service()
                .get(new RequestTarget("panics")
                        .with("since", since)
                        .with("limit", limit)
                        .toString());
        Screen screen = context.screen();
        if (output.isJson()) {
            output.print(screen, reply);
        } else if (reply.path("panics").isEmpty()) {
            screen.remark("no program of capsem's panicked");
        } else {
            reply.path("panics").forEach(panic -> print(screen, panic));
        }
        return ExitCode.DONE;
    }

    private static void print(Screen screen, JsonNode panic) {
        Ink ink = screen.outInk();
        String place = text(panic, " of ", "sandbox") + text(panic, " in ", "thread");
        screen.print(ink.faint(panic.path("ts").asString("")) + " "
                + ink.bold(panic.path("binary").asString("")) + Printable.line(place));
        screen.print("  " + ink.red(Printable.line(panic.path("message").asString("")))
                + Printable.line(text(panic, " at ", "location")));
        for (JsonNode frame : panic.path("frames")) {
            screen.print("    " + ink.faint(Printable.line(frame.asString(""))));
        }
    }

    private static String text(JsonNode panic, String before, String member) {
        return panic.has(member) ? before + panic.path(member).asString("") : "";
    }
}
