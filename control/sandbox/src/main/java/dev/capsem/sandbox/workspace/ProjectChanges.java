package dev.capsem.sandbox.workspace;

import dev.capsem.sandbox.workspace.git.GitTerritory;
import dev.capsem.sandbox.workspace.tree.Anchor;
import dev.capsem.sandbox.workspace.tree.Change;
import dev.capsem.sandbox.workspace.tree.Change.Kind;
import dev.capsem.sandbox.workspace.tree.Content;
import dev.capsem.sandbox.workspace.tree.FileType;
import dev.capsem.sandbox.workspace.tree.PathText;
import dev.capsem.sandbox.workspace.tree.WorkspaceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Walks the upper layer over the original and lists what differs. Reads names and attributes; content only to tell
/// whether a copied-up file really changed.
final class ProjectChanges {
    /// A deliberate maze of directories ends here; each level holds two descriptors.
    private static final int DEPTH_MAX = 200;
    /// More than any package manager leaves behind in one go.
    private static final int CHANGES_MAX = 300_000;
    /// A guest chooses how long its paths are, and every answer holds each of them several times.
    static final long PATH_BYTES_MAX = 16L * 1_048_576;

    private final Selection selection;
    private final Origin origin;
    private final List<Change> changes = new ArrayList<>();
    private final Set<Path> gitDirectories = new TreeSet<>();
    private final Set<Path> holdingGit = new HashSet<>();
    private long pathBytes;

    private ProjectChanges(Selection selection, Origin origin) {
        this.selection = selection;
        this.origin = origin;
    }

    /// The same directory on both sides.
    ///
    /// @param alone whether `upper` hides the original directory instead of merging with it
    private record Layers(Optional<Anchor> original, Anchor upper, boolean alone, int depth) {}

    /// @param changes sorted by path
    /// @param gitDirectories what belongs to git itself and was left out, topmost paths only
    /// @param holdingGit directories of the original that the guest removed, with a git directory somewhere in them
    record Found(List<Change> changes, Set<Path> gitDirectories, Set<Path> holdingGit) {
        Found {
            changes = List.copyOf(changes);
            gitDirectories = Set.copyOf(gitDirectories);
            holdingGit = Set.copyOf(holdingGit);
        }

        Found with(List<Change> others) {
            return new Found(others, gitDirectories, holdingGit);
        }
    }

    static Found of(Anchor original, Anchor upper, Origin origin, Selection selection) {
        var walk = new ProjectChanges(selection, origin);
        walk.merge(Path.of(""), new Layers(Optional.of(original), upper, upper.isOpaque(), 0));
        Set<Path> gits = GitTerritory.among(walk.changes, original);
        walk.changes.removeIf(change -> gits.stream().anyMatch(change.path()::startsWith));
        walk.gitDirectories.addAll(gits);
        walk.changes.sort(Comparator.comparing(Change::path));
        return new Found(walk.changes, walk.gitDirectories, walk.holdingGit);
    }

    private void merge(Path at, Layers layers) {
        List<Path> names;
        try {
            names = layers.upper.names();
        } catch (IOException closed) {
            add(Change.unreadable(at));
            return;
        }
        for (Path name : names) {
            Path path = at.resolve(name);
            if (!selection.mayHold(path)) {
                continue;
            }
            try {
                compare(path, name, layers);
            } catch (IOException closed) {
                add(Change.unreadable(path));
            }
        }
        if (layers.alone) {
            layers.original.ifPresent(original -> deleteOthers(at, original, new HashSet<>(names)));
        }
    }

    private void compare(Path path, Path name, Layers layers) throws IOException {
        Optional<Anchor> opened = layers.upper.child(name);
        if (opened.isEmpty()) {
            return;
        }
        if (GitTerritory.isName(name)) {
            opened.get().close();
            gitDirectories.add(path);
            return;
        }
        try (Anchor upper = opened.get()) {
            Optional<Anchor> original = layers.original.isEmpty()
                    ? Optional.empty()
                    : layers.original.get().child(name);
            if (original.isEmpty()) {
                addNew(path, name, upper, layers);
                return;
            }
            try (Anchor before = original.get()) {
                compareBoth(path, name, before, upper, layers);
            }
        }
    }

    private void addNew(Path path, Path name, Anchor upper, Layers layers) throws IOException {
        switch (upper.type()) {
            case WHITEOUT -> {} // Made and removed again inside.
            case SPECIAL ->
                add(new Change(path, Kind.SPECIAL, Optional.empty(), Optional.of(upper.facts()), Optional.empty()));
            case REGULAR -> {
                // Merely copied up, then removed by the user: that is no work of the guest's.
                if (!isAsAtCreate(path, upper)) {
                    add(Change.added(path, upper.facts()));
                }
            }
            case SYMLINK -> add(Change.added(path, upper.facts()).with(layers.upper.linkTarget(name)));
            case DIRECTORY -> {
                if (isGitDirectory(path, Optional.empty(), upper)) {
                    return;
                }
                add(Change.added(path, upper.facts()));
                enter(path, Optional.empty(), upper, layers);
            }
        }
    }

    private boolean isGitDirectory(Path path, Optional<Anchor> original, Anchor upper) {
        boolean isGit = GitTerritory.isDirectory(original, upper);
        if (isGit) {
            gitDirectories.add(path);
        }
        return isGit;
    }

    private void compareBoth(Path path, Path name, Anchor before, Anchor upper, Layers layers) throws IOException {
        if (before.type() == FileType.DIRECTORY && upper.type() != FileType.DIRECTORY) {
            if (GitTerritory.isDirectory(Optional.empty(), before)) {
                keepGit(path);
                return;
            }
            deleteOthers(path, before, Set.of());
        }
        switch (upper.type()) {
            case WHITEOUT -> {
                // What the user made after the guest's removal was brought back is not removed again.
                if (!(origin.of(path) instanceof Origin.State.Appeared)) {
                    add(Change.deleted(path, before.facts()));
                }
            }
            case SPECIAL -> addChange(path, Kind.SPECIAL, before, upper);
            case DIRECTORY -> {
                if (isGitDirectory(path, Optional.of(before), upper)) {
                    return;
                }
                if (before.type() != FileType.DIRECTORY) {
                    addChange(path, Kind.TYPE, before, upper);
                    enter(path, Optional.empty(), upper, layers);
                    return;
                }
                if (differsInMode(before, upper)) {
                    addChange(path, Kind.MODE, before, upper);
                }
                enter(path, Optional.of(before), upper, layers);
            }
            case REGULAR -> {
                if (before.type() != FileType.REGULAR) {
                    addChange(path, Kind.TYPE, before, upper);
                } else if (!Content.equal(before, upper)) {
                    if (!isAsAtCreate(path, upper)) {
                        addChange(path, Kind.MODIFIED, before, upper);
                    }
                } else if (differsInMode(before, upper)) {
                    addChange(path, Kind.MODE, before, upper);
                }
            }
            case SYMLINK -> {
                Path target = layers.upper.linkTarget(name);
                if (before.type() != FileType.SYMLINK) {
                    add(change(path, Kind.TYPE, before, upper).with(target));
                } else if (!layers.original.orElseThrow().linkTarget(name).equals(target)) {
                    add(change(path, Kind.MODIFIED, before, upper).with(target));
                }
            }
        }
    }

    /// Whether the guest has what was there at create, while the user's file moved on: then the guest changed nothing.
    private boolean isAsAtCreate(Path path, Anchor upper) throws IOException {
        if (!(origin.of(path) instanceof Origin.State.Moved moved)
                || moved.base().isEmpty()) {
            return false;
        }
        Optional<byte[]> content = Content.bytes(upper, moved.base().get().length);
        return content.isPresent() && moved.held(content.get());
    }

    private void enter(Path path, Optional<Anchor> original, Anchor upper, Layers parent) {
        if (parent.depth == DEPTH_MAX) {
            add(Change.unreadable(path));
            return;
        }
        merge(path, new Layers(original, upper, parent.alone || upper.isOpaque(), parent.depth + 1));
    }

    /// Everything of the original directory that is not in `kept` is hidden from the guest, all the way down.
    private void deleteOthers(Path at, Anchor directory, Set<Path> kept) {
        try {
            for (Path name : directory.names()) {
                Path path = at.resolve(name);
                if (kept.contains(name) || !selection.mayHold(path)) {
                    continue;
                }
                if (GitTerritory.isName(name)) {
                    keepGit(path);
                    continue;
                }
                Optional<Anchor> opened = directory.child(name);
                if (opened.isPresent()) {
                    try (Anchor child = opened.get()) {
                        deleteWhole(path, child);
                    }
                }
            }
        } catch (IOException closed) {
            add(Change.unreadable(at));
        }
    }

    private void deleteWhole(Path path, Anchor original) {
        if (original.type() == FileType.DIRECTORY) {
            if (GitTerritory.isDirectory(Optional.empty(), original)) {
                keepGit(path);
                return;
            }
            deleteOthers(path, original, Set.of());
        }
        add(Change.deleted(path, original.facts()));
    }

    /// A repository of the user's stays, whatever the guest did to the directory around it.
    private void keepGit(Path path) {
        gitDirectories.add(path);
        for (Path above = path.getParent(); above != null; above = above.getParent()) {
            holdingGit.add(above);
        }
    }

    private static boolean differsInMode(Anchor before, Anchor after) {
        return (before.facts().permissions() & 0777) != (after.facts().permissions() & 0777);
    }

    private void addChange(Path path, Kind kind, Anchor before, Anchor after) {
        add(change(path, kind, before, after));
    }

    private static Change change(Path path, Kind kind, Anchor before, Anchor after) {
        return new Change(path, kind, Optional.of(before.facts()), Optional.of(after.facts()), Optional.empty());
    }

    private void add(Change change) {
        if (!selection.holds(change.path())) {
            return;
        }
        if (changes.size() == CHANGES_MAX) {
            throw new WorkspaceException(
                    WorkspaceException.Code.TOO_MANY_CHANGES,
                    "more than " + CHANGES_MAX + " paths changed",
                    "name the paths you want, for example `capsem diff ID src`");
        }
        pathBytes += PathText.bytes(change.path()).length;
        if (pathBytes > PATH_BYTES_MAX) {
            throw new WorkspaceException(
                    WorkspaceException.Code.TOO_MANY_CHANGES,
                    "the paths that changed are longer than " + PATH_BYTES_MAX / 1_048_576 + " MiB together",
                    "name the paths you want, for example `capsem diff ID src`");
        }
        changes.add(change);
    }
}
