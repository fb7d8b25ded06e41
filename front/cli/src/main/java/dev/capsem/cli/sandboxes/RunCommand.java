package dev.capsem.cli.sandboxes;

import dev.capsem.cli.approvals.ApprovalPrompt;
import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.project.ProjectChoice;
import dev.capsem.cli.project.ProjectEnding.Changes;
import dev.capsem.cli.rules.BlockedRun;
import dev.capsem.client.io.ServiceCallException;
import dev.capsem.wire.service.ExecReply;
import dev.capsem.wire.service.ExecRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/// `capsem run`
@Command(
        footer = {
            "",
            "With --workspace the command sees a copy of your project and starts in it. When it changed",
            "something, the sandbox is kept, stopped, and you are told how to see and apply the changes.",
            "",
            "Examples:",
            "  capsem run -- id",
            "  capsem run 'uname -a; ls -l'                       one quoted line runs in a shell",
            "  cat data.csv | capsem run -- sort > sorted.csv",
            "  capsem run --workspace . -- claude -p \"fix the tests\"",
            "  capsem run --workspace . --apply -- make format    changes come back if it succeeds"
        })
public final class RunCommand extends PrintingCommand {
    @Mixin
    SandboxOptions sandbox = new SandboxOptions();

    @Mixin
    ProjectChoice project = new ProjectChoice();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Quantities.Seconds.class,
            description = {"Kill the command after this time: seconds, or like 30s, 5m; exit code 124."})
    Optional<Integer> timeoutSecs = Optional.empty();

    @Option(
            names = {"-t", "--tty"},
            description = "Give the command a terminal.")
    boolean terminal;

    @Option(names = "--apply", description = "Bring all changes back when the command exits with 0.")
    boolean apply;

    @Option(names = "--rm", description = "Discard changes to the project's copy.")
    boolean discard;

    @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "The command and its arguments.")
    List<String> command = new ArrayList<>();

    public RunCommand(CliContext context) {
        super(context);
    }

    @Override
    public boolean takesGuestCommand() {
        return true;
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return many(words, given -> command = given);
    }

    @Override
    public int run() {
        if (apply && discard) {
            throw CliProblem.usage("--apply and --rm exclude each other", "choose one");
        }
        ExecRequest.Command what = GuestWords.command(command, "capsem run", "");
        Changes changes = discard ? Changes.DISCARD : apply ? Changes.APPLY : Changes.KEEP;
        return new OneTimeSandbox(context, sandbox, project).use(changes, output.isQuiet(), (id, directory) -> {
            return execute(
                    id, new ExecRequest(what, Optional.empty(), Map.of(), directory, timeoutSecs, Optional.of("run")));
        });
    }

    private int execute(String id, ExecRequest request) {
        if (output.isJson()) {
            ExecReply reply;
            try (var _ = ApprovalPrompt.beside(context, id)) {
                reply = context.service().exec(id, request);
            }
            ObjectNode json = reply.toJson().put("id", id);
            if (project.isCopyOnWrite()) {
                ObjectNode diff = context.service().diff(id, List.of()).toJson();
                List.of("changes", "ignored", "commits").forEach(name -> json.set(name, diff.path(name)));
            }
            output.print(context.screen(), json);
            return reply.exitCode();
        }
        var session = new TerminalSession(context);
        try {
            return terminal ? session.runWithTerminal(id, request) : session.runWithPipes(id, request);
        } catch (ServiceCallException refused) {
            if (!refused.error().code().equals(ExitCode.BLOCKED_CODE)) {
                throw refused;
            }
            // Told in full now: the sandbox and its record are gone before anybody could ask why.
            return new BlockedRun(context).tell(id, refused.error());
        }
    }
}
