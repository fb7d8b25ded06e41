package dev.capsem.sandbox.workspace;

import java.nio.file.Path;
import java.util.Optional;

/// Changes that would act on the host by merely being there: they come back only when a person names them.
/// A courtesy against the obvious, not a barrier: whoever runs a project's code runs what the guest wrote in it.
final class HeldBack {
    private HeldBack() {}

    /// Why this change waits to be named; empty when it need not.
    ///
    /// @param linkTarget where it points, if it is now a link
    static Optional<String> reason(Path path, Optional<Path> linkTarget) {
        return linkTarget
                .filter(target -> leadsOut(path, target))
                .map(target -> "a link that leads out of the project, to " + target);
    }

    private static boolean leadsOut(Path path, Path target) {
        Path parent = path.getParent() == null ? Path.of("") : path.getParent();
        return target.isAbsolute() || parent.resolve(target).normalize().startsWith("..");
    }
}
