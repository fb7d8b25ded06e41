package dev.capsem.cli.record;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Progress;
import dev.capsem.wire.service.VerifyReply;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `capsem verify`
@Command(
        footer = {
            "",
            "Each recorded event carries the hash of the one before it. Exit code 1 when the chain is broken.",
            "",
            "Examples:",
            "  capsem verify lab && echo unbroken"
        })
public final class VerifyCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name or id of the sandbox.")
    String session = "";

    public VerifyCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> session = word);
    }

    @Override
    public int run() {
        VerifyReply reply;
        try (var _ = Progress.of(context.screen(), "verifying")) {
            reply = context.service().verify(session);
        }
        if (output.isJson()) {
            output.print(context.screen(), reply.toJson());
        } else if (!output.isQuiet()) {
            print(reply);
        }
        return reply.intact() ? ExitCode.DONE : ExitCode.NO;
    }

    /// The kind of which most were lost first.
    private static String losses(VerifyReply reply) {
        String kinds = reply.lost().entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .map(kind -> kind.getValue() + " " + Printable.line(kind.getKey()))
                .collect(Collectors.joining(", "));
        return Amounts.counted(reply.eventsLost(), "event") + (reply.eventsLost() == 1 ? " was" : " were")
                + " lost, in " + Amounts.counted(reply.gaps(), "gap") + (kinds.isEmpty() ? "" : ": " + kinds);
    }

    private void print(VerifyReply reply) {
        Ink ink = context.screen().outInk();
        String checked =
                Amounts.counted(reply.events(), "event") + " checked" + (reply.gaps() == 0 ? "" : "; " + losses(reply));
        context.screen()
                .print(
                        reply.intact()
                                ? ink.green("unbroken") + ": " + checked
                                : ink.red("BROKEN") + ": "
                                        + Printable.line(reply.problem().orElse("the chain does not fit"))
                                        + " (" + checked + ")");
    }
}
