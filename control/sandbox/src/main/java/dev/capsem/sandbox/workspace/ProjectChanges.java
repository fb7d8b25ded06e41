package dev.capsem.sandbox.workspace;

import dev.capsem.sandbox.workspace.Change.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Walks the upper layer over the original and lists what differs. Reads names and attributes; content only to tell
/// whether a copied-up file really changed.
final class ProjectChanges {
    /// A deliberate maze of directories ends here; each level holds two descriptors.
    private static final int DEPTH_MAX = 200;
    /// More than any package manager leaves behind in one go.
    private static final int CHANGES_MAX = 300_000;

    private final Selection selection;
    private final List<Change> changes = new ArrayList<>();

    private ProjectChanges(Selection selection) {
        this.selection = selection;
    }

    /// The same directory on both sides.
    ///
    /// @param alone whether `upper` hides the original directory instead of merging with it
    private record Layers(Optional<Anchor> original, Anchor upper, boolean alone, int depth) {}

    /// Sorted by path.
    static List<Change> of(Anchor original, Anchor upper, Selection selection) {
        var walk = new ProjectChanges(selection);
        walk.merge(Path.of(""), new Layers(Optional.of(original), upper, upper.isOpaque(), 0));
        walk.changes.sort(Comparator.comparing(Change::path));
        return List.copyOf(walk.changes);
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
        try (Anchor upper = opened.get()) {
            Optional<Anchor> original = layers.original.isEmpty()
                    ? Optional.empty()
                    : layers.original.get().child(name);
            if (original.isEmpty()) {
                addNew(path, upper, layers);
                return;
            }
            try (Anchor before = original.get()) {
                compareBoth(path, name, before, upper, layers);
            }
        }
    }

    private void addNew(Path path, Anchor upper, Layers layers) {
        switch (upper.type()) {
            case WHITEOUT -> {} // Made and removed again inside.
            case SPECIAL -> add(new Change(path, Kind.SPECIAL, Optional.empty(), Optional.of(upper.facts())));
            case REGULAR, SYMLINK -> add(Change.added(path, upper.facts()));
            case DIRECTORY -> {
                add(Change.added(path, upper.facts()));
                enter(path, Optional.empty(), upper, layers);
            }
        }
    }

    private void compareBoth(Path path, Path name, Anchor before, Anchor upper, Layers layers) throws IOException {
        if (before.type() == FileType.DIRECTORY && upper.type() != FileType.DIRECTORY) {
            deleteOthers(path, before, Set.of());
        }
        switch (upper.type()) {
            case WHITEOUT -> add(Change.deleted(path, before.facts()));
            case SPECIAL -> addChange(path, Kind.SPECIAL, before, upper);
            case DIRECTORY -> {
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
                    addChange(path, Kind.MODIFIED, before, upper);
                } else if (differsInMode(before, upper)) {
                    addChange(path, Kind.MODE, before, upper);
                }
            }
            case SYMLINK -> {
                if (before.type() != FileType.SYMLINK) {
                    addChange(path, Kind.TYPE, before, upper);
                } else if (!layers.original.orElseThrow().linkTarget(name).equals(layers.upper.linkTarget(name))) {
                    addChange(path, Kind.MODIFIED, before, upper);
                }
            }
        }
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
                Optional<Anchor> opened = directory.child(name);
                if (opened.isPresent()) {
                    try (Anchor child = opened.get()) {
                        add(Change.deleted(path, child.facts()));
                        if (child.type() == FileType.DIRECTORY) {
                            deleteOthers(path, child, Set.of());
                        }
                    }
                }
            }
        } catch (IOException closed) {
            add(Change.unreadable(at));
        }
    }

    private static boolean differsInMode(Anchor before, Anchor after) {
        return (before.facts().permissions() & 0777) != (after.facts().permissions() & 0777);
    }

    private void addChange(Path path, Kind kind, Anchor before, Anchor after) {
        add(new Change(path, kind, Optional.of(before.facts()), Optional.of(after.facts())));
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
        changes.add(change);
    }
}
