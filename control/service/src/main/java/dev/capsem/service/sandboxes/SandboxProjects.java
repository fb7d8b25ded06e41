package dev.capsem.service.sandboxes;

import dev.capsem.sandbox.workspace.ProjectWorkspace;
import dev.capsem.sandbox.workspace.tree.WorkspaceException;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.registry.SandboxFacts;
import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.SandboxSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// The projects that sandboxes work on.
public final class SandboxProjects {
    private final HomeLayout layout;

    SandboxProjects(HomeLayout layout) {
        this.layout = layout;
    }

    /// The project as it was when its sandbox was made.
    void record(SandboxFacts facts) {
        try {
            facts.project()
                    .filter(project -> project.access() == SandboxSpec.Project.Access.COPY_ON_WRITE)
                    .ifPresent(project -> workspace(project, facts).recordManifest(hidden(facts)));
        } catch (WorkspaceException e) {
            ServiceProblem.Code code = e.code() == WorkspaceException.Code.PROJECT_TOO_LARGE
                    ? ServiceProblem.Code.TOO_LARGE
                    : ServiceProblem.Code.BAD_PROJECT;
            throw new ServiceProblem(code, String.valueOf(e.getMessage()), e.remedy(), e);
        }
    }

    private static Set<Path> hidden(SandboxFacts facts) {
        return facts.view().hidden().stream().map(Path::of).collect(Collectors.toSet());
    }

    /// The project of a sandbox, and what the sandbox made of it.
    public ProjectWorkspace workspace(SandboxSpec.Project project, SandboxFacts facts) {
        return new ProjectWorkspace(project.source(), facts.sessionDir(), layout.keptDir());
    }

    /// How many changes a copy holds, without what git ignores.
    public int changesOf(SandboxFacts facts) {
        return facts.project()
                .map(project -> workspace(project, facts)
                        .changes(new ProjectWorkspace.Choice(List.of(), false))
                        .size())
                .orElse(0);
    }
}
