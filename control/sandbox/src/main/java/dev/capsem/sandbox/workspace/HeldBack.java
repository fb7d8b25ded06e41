package dev.capsem.sandbox.workspace;

import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/// Changes that would act on the host by merely being there: they come back only when a person names them.
/// A courtesy against the obvious, not a barrier: whoever runs a project's code runs what the guest wrote in it.
final class HeldBack {
    private static final Set<String> GIT_SETTINGS = Set.of("config", "config.worktree", "commondir");

    private HeldBack() {}

    /// Why this change waits to be named; empty when it need not.
    ///
    /// @param linkTarget where it points, if it is now a link
    static Optional<String> reason(Path path, Optional<Path> linkTarget) {
        if (linkTarget.isPresent() && leadsOut(path, linkTarget.get())) {
            return Optional.of("a link that leads out of the project, to " + linkTarget.get());
        }
        return actsThroughGit(path) ? Optional.of("git would run commands from it on your machine") : Optional.empty();
    }

    private static boolean leadsOut(Path path, Path target) {
        Path parent = path.getParent() == null ? Path.of("") : path.getParent();
        return target.isAbsolute() || parent.resolve(target).normalize().startsWith("..");
    }

    private static boolean actsThroughGit(Path path) {
        for (int i = 0; i < path.getNameCount(); i++) {
            if (!path.getName(i).toString().equals(".git")) {
                continue;
            }
            for (int below = i + 1; below < path.getNameCount(); below++) {
                String name = path.getName(below).toString();
                boolean last = below == path.getNameCount() - 1;
                if (last ? GIT_SETTINGS.contains(name) : name.equals("hooks")) {
                    return true;
                }
            }
        }
        return false;
    }
}
