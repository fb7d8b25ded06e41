package dev.capsem.sandbox.workspace;

import dev.capsem.sandbox.workspace.git.Commits;
import dev.capsem.sandbox.workspace.tree.ApplyProblem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The result of `apply`. When anything is refused, nothing was applied.
///
/// @param applied the paths now as the guest left them, or merged
/// @param merged those of them that hold both sides' changes now
/// @param skipped left out on purpose, which stops nothing else: devices, and what would act on the host by itself
/// @param held those of the skipped that come when they are named
/// @param refused why nothing was applied
/// @param failed what the disk or a still running guest prevented after the checks had passed
/// @param branches commits that came back, each branch under a name of its own
/// @param kept where that is which was overwritten although the user had changed it
/// @param ignored how many changes of files that git ignores were left out
public record ApplyOutcome(
        List<Path> applied,
        List<Path> merged,
        List<ApplyProblem> skipped,
        List<Path> held,
        List<ApplyProblem> refused,
        List<ApplyProblem> failed,
        List<Commits.Brought> branches,
        Optional<Path> kept,
        int ignored) {
    public ApplyOutcome {
        applied = List.copyOf(applied);
        merged = List.copyOf(merged);
        skipped = List.copyOf(skipped);
        held = List.copyOf(held);
        refused = List.copyOf(refused);
        failed = List.copyOf(failed);
        branches = List.copyOf(branches);
    }

    static ApplyOutcome nothing() {
        return new ApplyOutcome(
                List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), Optional.empty(), 0);
    }

    ApplyOutcome withIgnored(int count) {
        return new ApplyOutcome(applied, merged, skipped, held, refused, failed, branches, kept, count);
    }

    ApplyOutcome withFailed(List<ApplyProblem> problems) {
        return with(branches, problems);
    }

    ApplyOutcome with(List<Commits.Brought> brought, List<ApplyProblem> problems) {
        var all = new ArrayList<>(failed);
        all.addAll(problems);
        return new ApplyOutcome(applied, merged, skipped, held, refused, all, brought, kept, ignored);
    }
}
