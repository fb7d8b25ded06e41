package dev.capsem.cli.project;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Progress;
import dev.capsem.wire.service.ApplyReply;
import dev.capsem.wire.service.ApplyRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `capsem apply`
@Command(
        footer = {
            "",
            "Files come back as changes of your working tree. Where you changed a file too, both changes are",
            "merged; where they meet in the same lines, nothing is applied and each such place is named.",
            "Commits made inside come back through git, checked, as branches capsem/SANDBOX/BRANCH: no branch,",
            "index, stash or hook of yours is touched. Git's own files never come back, nor do files that git",
            "ignores unless you say --ignored or name them. Files that your tools may run (.envrc, editor tasks,",
            "agents' settings, hooks, CI files, Makefile, package.json with other scripts, …) and links that lead",
            "out of the project wait until you name them. --as takes the digest that `capsem diff` prints for the",
            "same paths: if anything differs from what you read there, nothing is applied. --branch puts what",
            "apply would bring into one commit on capsem/SANDBOX, with the commits made inside behind it:",
            "your branch, index and files stay as they are.",
            "Copies of what --force overwrites, and of what is merged, are kept; you are told where.",
            "",
            "Examples:",
            "  capsem apply app-x7k2q              bring everything back",
            "  capsem apply app-x7k2q src README.md",
            "  capsem apply app-x7k2q --branch     then: git diff HEAD...capsem/app-x7k2q",
            "  capsem apply app-x7k2q --commits    only the commits; then: git merge capsem/app-x7k2q/main",
            "  capsem apply app-x7k2q package.json Makefile",
            "  capsem apply app-x7k2q --as DIGEST  bring back exactly what `capsem diff app-x7k2q` showed",
            "  capsem apply app-x7k2q --force      take the sandbox's version, keep a copy of yours"
        })
public final class ApplyCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name or id of the sandbox.")
    String session = "";

    @Parameters(index = "1..*", paramLabel = "PATH", description = "Only these paths and everything below them.")
    List<String> paths = new ArrayList<>();

    @Option(names = "--force", description = "Overwrite also what you changed meanwhile; a copy is kept.")
    boolean force;

    @Option(names = "--ignored", description = "Bring back also files that git ignores.")
    boolean ignored;

    @Option(names = "--commits", description = "Bring back only commits, as branches; no files.")
    boolean commits;

    @Option(names = "--branch", description = "Bring back everything as a branch; no file of yours is touched.")
    boolean branch;

    @Option(
            names = "--as",
            paramLabel = "DIGEST",
            description = "Apply only if the changes are the ones that diff showed.")
    Optional<String> as = Optional.empty();

    public ApplyCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> session = word);
    }

    @Override
    public int run() {
        if (branch && (commits || force || ignored || as.isPresent() || !paths.isEmpty())) {
            throw CliProblem.usage(
                    "--branch brings everything",
                    "leave out paths, --force, --ignored, --commits and --as, or leave out --branch");
        }
        if (commits && (force || ignored || as.isPresent() || !paths.isEmpty())) {
            throw CliProblem.usage(
                    "--commits brings whole branches",
                    "leave out paths, --force, --ignored and --as, or leave out --commits");
        }
        ApplyReply reply;
        try (var _ = Progress.of(context.screen(), "applying")) {
            reply = context.service().apply(session, new ApplyRequest(paths, force, ignored, commits, branch, as));
        }
        if (output.isJson()) {
            output.print(context.screen(), reply.toJson());
        } else {
            ApplyReport.print(context.screen(), session, reply, output.isQuiet(), branch);
        }
        return reply.refused().isEmpty() && reply.failed().isEmpty() ? ExitCode.DONE : ExitCode.NO;
    }
}
