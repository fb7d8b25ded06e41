package dev.capsem.cli.sandboxes;

import dev.capsem.cli.approvals.ApprovalPrompt;
import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.project.ProjectChoice;
import dev.capsem.wire.service.ExecReply;
import dev.capsem.wire.service.ExecRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `capsem exec`
@Command(
        footer = {
            "",
            "Options come before the sandbox. Our stdin is the command's unless it is a terminal.",
            "The exit code is the command's own; 125 when capsem itself failed, 126 when a rule blocked it.",
            "If a rule needs approval and you are on a terminal, you are prompted.",
            "",
            "Examples:",
            "  capsem exec lab -- ls -l /root",
            "  capsem exec lab 'cd app && make test'        one quoted line runs in a shell",
            "  capsem exec -e CI=1 --timeout 5m lab -- make",
            "  capsem exec -t lab -- vi notes.txt"
        })
public final class ExecCommand extends PrintingCommand {
    @Option(
            names = {"-e", "--env"},
            paramLabel = "NAME[=VALUE]",
            description = "Set a variable for this command; NAME alone copies your own value.")
    List<String> env = new ArrayList<>();

    @Option(
            names = "--cwd",
            paramLabel = "DIR",
            description = "Start in this directory of the sandbox (its project, or else /root).")
    Optional<String> directory = Optional.empty();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Quantities.Seconds.class,
            description = "Kill the command after this time: seconds, or like 30s, 5m; exit code 124.")
    Optional<Integer> timeoutSecs = Optional.empty();

    @Option(
            names = {"-t", "--tty"},
            description = "Give the command a terminal.")
    boolean terminal;

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name or id of the sandbox.")
    String session = "";

    @Parameters(index = "1..*", paramLabel = "COMMAND", description = "The command and its arguments.")
    List<String> command = new ArrayList<>();

    public ExecCommand(CliContext context) {
        super(context);
    }

    @Override
    public boolean takesGuestCommand() {
        return true;
    }

    @Override
    protected boolean takeWords(List<String> words) {
        if (words.size() < 2) {
            return false;
        }
        session = words.getFirst();
        command = words.subList(1, words.size());
        return true;
    }

    @Override
    public int run() {
        var request = new ExecRequest(
                GuestWords.command(command, "capsem exec", session),
                Optional.empty(),
                Environment.of(env, context.environment()),
                directory.or(this::project),
                timeoutSecs,
                Optional.of("cli"));
        if (output.isJson()) {
            ExecReply reply;
            try (var _ = ApprovalPrompt.beside(context, session)) {
                reply = context.service().exec(session, request);
            }
            output.print(context.screen(), reply.toJson());
            return reply.exitCode();
        }
        var guest = new TerminalSession(context);
        return terminal ? guest.runWithTerminal(session, request) : guest.runWithPipes(session, request);
    }

    /// Where `run` and `shell` start too.
    private Optional<String> project() {
        return context.service().sandbox(session).project().map(ProjectChoice::guestDirectory);
    }
}
