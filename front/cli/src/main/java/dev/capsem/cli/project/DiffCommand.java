package dev.capsem.cli.project;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Progress;
import dev.capsem.cli.screen.Screen;
import dev.capsem.cli.screen.Table;
import dev.capsem.wire.service.DiffReply;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `capsem diff`
@Command(
        footer = {
            "",
            "The diff goes to stdout and `git apply` takes it, binary files included; the summary goes to",
            "stderr. Files that git ignores are only counted, by the ignore files of your own tree. What belongs",
            "to git itself is never shown: commits made inside come back with `capsem apply`. The digest at the",
            "end names all of it: `capsem apply --as DIGEST` with the same paths brings back what you read.",
            "",
            "Examples:",
            "  capsem diff app-x7k2q",
            "  capsem diff app-x7k2q --stat src",
            "  capsem diff app-x7k2q --ignored --stat",
            "  capsem diff app-x7k2q | git apply"
        })
public final class DiffCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name or id of the sandbox.")
    String session = "";

    @Parameters(index = "1..*", paramLabel = "PATH", description = "Only these paths and everything below them.")
    List<String> paths = new ArrayList<>();

    @Option(names = "--stat", description = "Print a table of paths instead of a patch.")
    boolean stat;

    @Option(names = "--exit-code", description = "Exit with 1 when there are changes.")
    boolean exitCode;

    @Option(names = "--ignored", description = "Show also files that git ignores.")
    boolean ignored;

    public DiffCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> session = word);
    }

    @Override
    public int run() {
        DiffReply reply;
        try (var _ = Progress.of(context.screen(), "comparing")) {
            reply = context.service().diff(session, paths, ignored);
        }
        if (output.isJson()) {
            output.print(context.screen(), reply.toJson());
        } else if (stat) {
            printTable(reply);
        } else {
            printLines(reply);
        }
        return exitCode && !(reply.changes().isEmpty() && reply.commits().isEmpty()) ? ExitCode.NO : ExitCode.DONE;
    }

    private void printTable(DiffReply reply) {
        if (reply.changes().isEmpty()) {
            sayNothingChanged(reply);
            return;
        }
        var table = Table.of("CHANGE", ">+", ">−", "PATH", "NOTE")
                .key(3)
                .yielding(4)
                .expendable(4);
        for (DiffReply.Change change : reply.changes()) {
            table.add(
                    change.kind(),
                    Long.toString(change.insertions()),
                    Long.toString(change.deletions()),
                    change.path(),
                    change.note().orElse(""));
        }
        table.printTo(context.screen());
        summarize(reply);
    }

    private void printLines(DiffReply reply) {
        Screen screen = context.screen();
        if (reply.changes().isEmpty()) {
            sayNothingChanged(reply);
            return;
        }
        if (screen.terminals().out()) {
            DiffText.print(screen, reply.unified());
        } else {
            screen.out().print(reply.unified());
        }
        summarize(reply);
    }

    private void summarize(DiffReply reply) {
        if (output.isQuiet()) {
            return;
        }
        Screen screen = context.screen();
        screen.out().flush();
        screen.remark(screen.errInk().bold(DiffSummary.of(reply.changes())));
        if (reply.truncated()) {
            screen.remark("the diff is cut: the last " + Amounts.counted(reply.cut(), "file")
                    + " are only named; see them by path: capsem diff " + session + " PATH");
        }
        DiffSummary.besides(reply, session).forEach(screen::remark);
        HeldPaths.print(screen, session, reply.skipped(), reply.held());
        if (!reply.digest().isEmpty() && !reply.truncated()) {
            screen.remark("to bring back exactly this: " + screen.errInk().cyan(applyAs(reply.digest())));
        }
    }

    private String applyAs(String digest) {
        var command = new StringBuilder("capsem apply ").append(session);
        paths.forEach(path -> command.append(' ').append(HeldPaths.quoted(path)));
        return command + (ignored ? " --ignored" : "") + " --as " + digest;
    }

    private void sayNothingChanged(DiffReply reply) {
        if (!output.isQuiet()) {
            context.screen().remark("nothing changed");
            DiffSummary.besides(reply, session).forEach(context.screen()::remark);
            HeldPaths.print(context.screen(), session, reply.skipped(), reply.held());
        }
    }
}
