package dev.capsem.cli.sandboxes;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.project.ProjectChoice;
import dev.capsem.cli.project.ProjectEnding;
import dev.capsem.cli.screen.Progress;
import dev.capsem.wire.service.ProvisionReply;
import dev.capsem.wire.service.ProvisionRequest;
import dev.capsem.wire.service.ProvisionRequest.ProjectMount;
import java.util.Optional;

/// A sandbox made for one command or one terminal, ended with it.
final class OneTimeSandbox {
    /// A guest's exit code when Ctrl-C ended it (128 + SIGINT).
    private static final int INTERRUPTED = 130;

    private final CliContext context;
    private final SandboxOptions options;
    private final ProjectChoice project;

    OneTimeSandbox(CliContext context, SandboxOptions options, ProjectChoice project) {
        this.context = context;
        this.options = options;
        this.project = project;
    }

    interface Use {
        /// @param directory where to start in the sandbox; empty for its home
        int run(String id, Optional<String> directory);
    }

    int use(ProjectEnding.Changes changes, boolean quiet, Use use) {
        Optional<ProjectMount> mount = project.mount(context.directory());
        boolean mayBeKept = changes != ProjectEnding.Changes.DISCARD && project.isCopyOnWrite();
        ProvisionReply made;
        try (var _ = Progress.of(context.screen(), "starting a sandbox")) {
            made = context.service().provision(request(mount, mayBeKept));
        }
        made.warnings().forEach(context.screen()::warn);
        var ending = new ProjectEnding(context, made.id(), mayBeKept ? changes : ProjectEnding.Changes.DISCARD, quiet);
        boolean ended = false;
        try (var _ = Interruption.runs(() -> ending.finish(INTERRUPTED))) {
            int exitCode = use.run(made.id(), mount.map(m -> ProjectChoice.guestDirectory(m.source())));
            ended = true;
            return ending.finish(exitCode);
        } finally {
            if (!ended) {
                ending.finish(INTERRUPTED);
            }
        }
    }

    /// One that may have to be kept is persistent from the start, so that its changes survive even our own death.
    private ProvisionRequest request(Optional<ProjectMount> mount, boolean mayBeKept) {
        Optional<String> name = mayBeKept
                ? options.name.or(() -> mount.map(m -> ProjectChoice.keptName(m.source(), context.random())))
                : options.name;
        return new ProvisionRequest(
                        name,
                        options.memoryMb,
                        options.cpus,
                        mayBeKept,
                        Environment.of(options.env, context.environment()),
                        Optional.empty(),
                        mount,
                        options.profile)
                .withBudget(options.budget)
                .withMounts(options.mounts(context.directory()));
    }
}
