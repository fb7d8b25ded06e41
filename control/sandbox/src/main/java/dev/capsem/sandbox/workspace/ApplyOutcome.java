package dev.capsem.sandbox.workspace;

import java.nio.file.Path;
import java.util.List;

/// What `apply` did. When anything is refused, nothing was applied.
///
/// @param applied the paths now as the guest left them
/// @param skipped left out on purpose, which stops nothing else: devices, and what would act on the host by itself
/// @param refused why nothing was applied
/// @param failed what the disk or a still running guest prevented after the checks had passed
public record ApplyOutcome(List<Path> applied, List<Problem> skipped, List<Problem> refused, List<Problem> failed) {
    public ApplyOutcome {
        applied = List.copyOf(applied);
        skipped = List.copyOf(skipped);
        refused = List.copyOf(refused);
        failed = List.copyOf(failed);
    }

    public record Problem(Path path, String reason, String remedy) {}
}
