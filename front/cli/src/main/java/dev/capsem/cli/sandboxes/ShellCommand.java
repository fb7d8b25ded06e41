package dev.capsem.cli.sandboxes;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.project.ProjectChoice;
import dev.capsem.cli.project.ProjectEnding.Changes;
import dev.capsem.wire.service.ExecRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `capsem shell`
@Command(
        footer = {
            "",
            "Without a sandbox a fresh one is made and deleted when the shell ends; with --workspace it is",
            "kept when it changed the project's copy.",
            "",
            "Examples:",
            "  capsem shell",
            "  capsem shell lab",
            "  capsem shell --workspace .",
            "  capsem shell --profile locked-down"
        })
public final class ShellCommand extends PrintingCommand {
    private static final List<String> SHELL =
            List.of("/bin/sh", "-c", "if command -v bash >/dev/null; then exec bash -l; else exec sh -l; fi");

    @Mixin
    SandboxOptions sandbox = new SandboxOptions();

    @Mixin
    ProjectChoice project = new ProjectChoice();

    @Option(names = "--rm", description = "Discard changes to the project's copy.")
    boolean discard;

    @Parameters(index = "0", arity = "0..1", paramLabel = "SANDBOX", description = "Name or id of a running sandbox.")
    Optional<String> session = Optional.empty();

    public ShellCommand(CliContext context) {
        super(context);
    }

    @Override
    public int run() {
        if (!context.screen().terminals().in() || !context.screen().terminals().out()) {
            throw CliProblem.usage("a shell needs a terminal", "use `capsem exec SANDBOX -- COMMAND` in scripts");
        }
        if (session.isEmpty()) {
            Changes changes = discard ? Changes.DISCARD : Changes.KEEP;
            return new OneTimeSandbox(context, sandbox, project).use(changes, output.isQuiet(), this::open);
        }
        String id = session.get();
        if (sandbox.isAny() || project.isGiven()) {
            throw CliProblem.usage(
                    id
                            + " is there already: it keeps the name, limits, profile, variables, mounts and project it was made with",
                    "leave out the options, or leave out " + id + " for a fresh sandbox");
        }
        return open(id, context.service().sandbox(id).project().map(ProjectChoice::guestDirectory));
    }

    private int open(String id, Optional<String> directory) {
        Map<String, String> env = new LinkedHashMap<>();
        for (String name : List.of("TERM", "COLORTERM")) {
            Optional.ofNullable(context.environment().get(name)).ifPresent(value -> env.put(name, value));
        }
        var request = new ExecRequest(
                new ExecRequest.Command.Argv(SHELL),
                Optional.empty(),
                env,
                directory,
                Optional.empty(),
                Optional.of("shell"));
        return new TerminalSession(context).runWithTerminal(id, request);
    }
}
