package dev.capsem.api;

import dev.capsem.sandbox.Abilities;
import dev.capsem.sandbox.Abilities.MemoryLimit;
import dev.capsem.sandbox.workspace.git.GitReach;
import dev.capsem.service.profiles.InForce;
import dev.capsem.service.profiles.Profiles;
import dev.capsem.service.table.Sandbox;
import dev.capsem.source.Problem;
import dev.capsem.wire.SandboxSpec.Project.Access;
import dev.capsem.wire.service.ProvisionRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// Warnings for the creator of a sandbox that is not quite as requested.
public final class ProvisionWarnings {
    private final Profiles profiles;
    private final Supplier<Abilities> abilities;

    public ProvisionWarnings(Profiles profiles, Supplier<Abilities> abilities) {
        this.profiles = profiles;
        this.abilities = abilities;
    }

    List<String> of(ProvisionRequest request, Sandbox sandbox) {
        List<String> warnings = new ArrayList<>();
        if (request.cpus().isPresent() && !abilities.get().cpuLimit()) {
            warnings.add("the limit of CPUs is not in force: this host lets this user limit none; see `capsem status`");
        }
        if (request.ramMb().isPresent() && abilities.get().memoryLimit() == MemoryLimit.WATCHED) {
            warnings.add(
                    "the limit of memory is watched, not enforced by the kernel: this host grants this user no cgroup; see"
                            + " `capsem status`");
        }
        sandbox.facts()
                .project()
                .map(project -> GitReach.troubles(project.source(), project.access() == Access.COPY_ON_WRITE))
                .ifPresent(warnings::addAll);
        warnings.addAll(of(sandbox));
        return warnings;
    }

    List<String> of(Sandbox sandbox) {
        String id = sandbox.facts().profileId();
        InForce inForce = profiles.required(Optional.of(id));
        List<String> warnings = new ArrayList<>();
        inForce.problems().stream()
                .filter(Problem::isError)
                .map(problem -> "the profile " + id + " has a mistake, so that its last good version is in force: "
                        + problem + "; see `capsem profiles validate "
                        + problem.place().file() + "`")
                .forEach(warnings::add);
        return warnings;
    }
}
