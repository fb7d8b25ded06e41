package dev.capsem.policy.lowering;

import dev.capsem.policy.egress.EgressKind;
import java.util.List;
import java.util.Optional;

/// What a caller may choose for any target; each target reads what concerns it.
///
/// @param strict fail when the policy holds a kind the target cannot lower
/// @param image the container image, for targets that name one
/// @param command the server's command line, for targets that name one
/// @param toolNames the server's tools, for targets that can allow tools by name
public record LoweringOptions(
        boolean strict,
        EgressKind egress,
        boolean hardened,
        boolean readOnlyRootfs,
        Optional<String> user,
        Optional<String> image,
        List<String> command,
        List<String> toolNames,
        WorkerLimits worker) {

    /// Stands where an image must be named and none was given; no registry can serve it.
    public static final String IMAGE_UNSET = "capgate.invalid/image-not-set";

    public static final LoweringOptions DEFAULT = new LoweringOptions(
            true,
            EgressKind.SQUID,
            false,
            true,
            Optional.empty(),
            Optional.empty(),
            List.of(),
            List.of(),
            WorkerLimits.DEFAULT);

    /// Sizes for a Node worker, in MiB. Node's own default heap depends on the machine, so it is always stated.
    ///
    /// The defaults hold a typical JSON tool server with room to spare: Node reserves 4 MiB of stack on
    /// its own, and compiled code of such servers stays below 16 MiB.
    public record WorkerLimits(int oldGenerationMb, int youngGenerationMb, int codeRangeMb, int stackMb) {
        public static final WorkerLimits DEFAULT = new WorkerLimits(256, 32, 16, 4);

        public WorkerLimits {
            if (oldGenerationMb < 1 || youngGenerationMb < 1 || codeRangeMb < 1 || stackMb < 1) {
                throw new IllegalArgumentException("worker limits are whole numbers of MiB, at least 1");
            }
        }
    }

    public LoweringOptions {
        command = List.copyOf(command);
        toolNames = List.copyOf(toolNames);
    }

    public LoweringOptions permissive() {
        return new LoweringOptions(false, egress, hardened, readOnlyRootfs, user, image, command, toolNames, worker);
    }

    public LoweringOptions with(EgressKind kind) {
        return new LoweringOptions(strict, kind, hardened, readOnlyRootfs, user, image, command, toolNames, worker);
    }

    public LoweringOptions with(WorkerLimits limits) {
        return new LoweringOptions(strict, egress, hardened, readOnlyRootfs, user, image, command, toolNames, limits);
    }

    public LoweringOptions withTools(List<String> names) {
        return new LoweringOptions(strict, egress, hardened, readOnlyRootfs, user, image, command, names, worker);
    }

    public LoweringOptions withImage(String name) {
        return new LoweringOptions(
                strict, egress, hardened, readOnlyRootfs, user, Optional.of(name), command, toolNames, worker);
    }

    public LoweringOptions withCommand(List<String> words) {
        return new LoweringOptions(strict, egress, hardened, readOnlyRootfs, user, image, words, toolNames, worker);
    }

    public LoweringOptions withUser(String name) {
        return new LoweringOptions(
                strict, egress, hardened, readOnlyRootfs, Optional.of(name), image, command, toolNames, worker);
    }

    public LoweringOptions withWritableRootfs() {
        return new LoweringOptions(strict, egress, hardened, false, user, image, command, toolNames, worker);
    }

    public LoweringOptions harden() {
        return new LoweringOptions(strict, egress, true, readOnlyRootfs, user, image, command, toolNames, worker);
    }

    String imageOrUnset() {
        return image.orElse(IMAGE_UNSET);
    }
}
