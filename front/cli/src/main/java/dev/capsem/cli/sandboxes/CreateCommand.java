package dev.capsem.cli.sandboxes;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.project.ProjectChoice;
import dev.capsem.cli.screen.Progress;
import dev.capsem.wire.service.ProvisionReply;
import dev.capsem.wire.service.ProvisionRequest;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `capsem create`
@Command(
        footer = {
            "",
            "Prints the sandbox's id. With a name it is persistent: it survives stop and can be resumed.",
            "",
            "Examples:",
            "  id=$(capsem create)",
            "  capsem create --name lab --ram 2g --cpu 2 -e CI=1",
            "  capsem create --workspace ~/src/app",
            "  capsem create --name lab-2 --from lab",
            "  capsem create -v ~/data:/mnt/data               seen inside, read-only",
            "  capsem create --profile locked-down"
        })
public final class CreateCommand extends PrintingCommand {
    @Mixin
    SandboxOptions sandbox = new SandboxOptions();

    @Mixin
    ProjectChoice project = new ProjectChoice();

    @Option(names = "--from", paramLabel = "SANDBOX", description = "Start with a copy of a persistent sandbox.")
    Optional<String> from = Optional.empty();

    public CreateCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return words.isEmpty();
    }

    @Override
    public int run() {
        ProvisionRequest request = new ProvisionRequest(
                        sandbox.name,
                        sandbox.memoryMb,
                        sandbox.cpus,
                        sandbox.name.isPresent(),
                        Environment.of(sandbox.env, context.environment()),
                        from,
                        project.mount(context.directory()),
                        sandbox.profile)
                .withBudget(sandbox.budget)
                .withMounts(sandbox.mounts(context.directory()));
        ProvisionReply reply;
        try (var _ = Progress.of(context.screen(), "starting a sandbox")) {
            reply = context.service().provision(request);
        }
        reply.warnings().forEach(context.screen()::warn);
        if (output.isJson()) {
            output.print(context.screen(), reply.toJson());
            return ExitCode.DONE;
        }
        context.screen().print(reply.id());
        if (!output.isQuiet() && context.screen().terminals().out()) {
            context.screen().remark("  open it: " + context.screen().errInk().cyan("capsem shell " + reply.id()));
        }
        return ExitCode.DONE;
    }
}
