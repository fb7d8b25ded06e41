package dev.capsem.sandbox.workspace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// What belongs to git itself: repositories under whatever name, and the files that point to one. Git runs programs
/// that a repository's configuration and hooks name, and a branch written as a file forgets the commits it held; so
/// none of it is ever brought back as files, changed or removed.
final class GitTerritory {
    /// What git takes for a repository.
    private static final List<Path> MARKS = List.of(Path.of("objects"), Path.of("refs"), Path.of("HEAD"));

    private GitTerritory() {}

    /// In any case of letters: some file systems do not tell `.GIT` from `.git`.
    static boolean isName(Path name) {
        return name.toString().equalsIgnoreCase(".git");
    }

    /// Whether a directory, as the guest sees it, would be taken for a repository.
    ///
    /// @param lower what shows through from the original, if anything does
    static boolean isDirectory(Optional<Anchor> lower, Anchor upper) {
        for (Path mark : MARKS) {
            if (!holds(upper, mark) && lower.filter(below -> holds(below, mark)).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    private static boolean holds(Anchor directory, Path name) {
        try {
            Optional<Anchor> child = directory.child(name);
            child.ifPresent(Anchor::close);
            return child.isPresent();
        } catch (IOException closed) {
            // What cannot be looked at may be there.
            return true;
        }
    }
}
