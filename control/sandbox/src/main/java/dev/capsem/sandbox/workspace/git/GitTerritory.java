package dev.capsem.sandbox.workspace.git;

import dev.capsem.sandbox.workspace.tree.Anchor;
import dev.capsem.sandbox.workspace.tree.Change;
import dev.capsem.sandbox.workspace.tree.FileType;
import dev.capsem.sandbox.workspace.tree.FoldedName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// What belongs to git itself: repositories under whatever name, and the files that point to one. Git runs programs
/// that a repository's configuration and hooks name, and a branch written as a file forgets the commits it held; so
/// none of it is ever brought back as files, changed or removed.
public final class GitTerritory {
    /// The names that git takes for a repository.
    private static final Set<String> MARKS = Set.of("objects", "refs", "head");
    /// The same, where objects and refs are elsewhere.
    private static final Set<String> BORROWED_MARKS = Set.of("commondir", "head");
    /// What is git's in a directory that is a repository and something else besides.
    private static final Set<String> OWN = Set.of(
            "head",
            "objects",
            "refs",
            "commondir",
            "config",
            "config.worktree",
            "hooks",
            "info",
            "packed-refs",
            "reftable",
            "logs",
            "modules",
            "worktrees",
            "index",
            "shallow");

    private GitTerritory() {}

    /// In whatever spelling a file system takes for it.
    public static boolean isName(Path name) {
        String folded = FoldedName.of(name);
        return folded.equals(".git") || folded.equals("git~1");
    }

    /// Whether a directory would be taken for a repository, as the guest sees it or with what the user has there.
    ///
    /// @param lower the original directory, whether it shows through or not: not all of it may be removed
    public static boolean isDirectory(Optional<Anchor> lower, Anchor upper) {
        try {
            Set<String> names = names(upper);
            if (lower.filter(below -> below.type() == FileType.DIRECTORY).isPresent()) {
                names.addAll(names(lower.get()));
            }
            return isRepository(names);
        } catch (IOException closed) {
            // The walk cannot look into it either, and says so.
            return false;
        }
    }

    /// Changes that together make, or belong to, a repository although no look at one directory saw it: the project
    /// itself, or a directory that the guest filled while it was walked.
    ///
    /// @return the paths that are git's
    public static Set<Path> among(List<Change> changes, Anchor original) {
        var byDirectory = new HashMap<Path, Set<String>>();
        for (Change change : changes) {
            if (change.kind() != Change.Kind.DELETED) {
                byDirectory
                        .computeIfAbsent(parent(change.path()), _ -> new HashSet<>())
                        .add(FoldedName.of(change.path().getFileName()));
            }
        }
        byDirectory.values().removeIf(names -> names.stream().noneMatch(OWN::contains));
        byDirectory.entrySet().removeIf(entry -> {
            entry.getValue().addAll(namesAt(original, entry.getKey()));
            return !isRepository(entry.getValue());
        });
        var own = new TreeSet<Path>();
        for (Change change : changes) {
            for (Path at = change.path(); at != null; at = at.getParent()) {
                if (byDirectory.containsKey(parent(at)) && OWN.contains(FoldedName.of(at.getFileName()))) {
                    own.add(at);
                }
            }
        }
        return own;
    }

    private static boolean isRepository(Set<String> names) {
        return names.containsAll(MARKS) || names.containsAll(BORROWED_MARKS);
    }

    private static Path parent(Path path) {
        return path.getParent() == null ? Path.of("") : path.getParent();
    }

    private static Set<String> namesAt(Anchor original, Path path) {
        try {
            Optional<Anchor> opened = original.descend(path.toString().isEmpty() ? Path.of(".") : path);
            if (opened.isEmpty()) {
                return Set.of();
            }
            try (Anchor directory = opened.get()) {
                return directory.type() == FileType.DIRECTORY ? names(directory) : Set.of();
            }
        } catch (IOException closed) {
            return MARKS;
        }
    }

    private static Set<String> names(Anchor directory) throws IOException {
        var names = new HashSet<String>();
        for (Path name : directory.names()) {
            String folded = FoldedName.of(name);
            if (OWN.contains(folded)) {
                names.add(folded);
            }
        }
        return names;
    }
}
