package dev.capsem.sandbox.workspace;

import dev.capsem.sandbox.workspace.ApplyOutcome.Problem;
import dev.capsem.sandbox.workspace.Change.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Brings changes back into the original: first every check, then, if all passed, one path after the other.
final class ProjectApply {
    private final Anchor original;
    private final Anchor upper;
    private final ProjectManifest manifest;
    private final boolean force;
    private final List<Path> applied = new ArrayList<>();
    private final List<Problem> skipped = new ArrayList<>();
    private final List<Problem> refused = new ArrayList<>();
    private final List<Problem> failed = new ArrayList<>();

    ProjectApply(Anchor original, Anchor upper, ProjectManifest manifest, boolean force) {
        this.original = original;
        this.upper = upper;
        this.manifest = manifest;
        this.force = force;
    }

    ApplyOutcome apply(List<Change> changes, Selection selection) {
        List<Change> chosen = check(changes, selection);
        if (refused.isEmpty()) {
            write(chosen);
        }
        return new ApplyOutcome(applied, skipped, refused, failed);
    }

    private List<Change> check(List<Change> changes, Selection selection) {
        var chosen = new ArrayList<Change>();
        for (Change change : changes) {
            Optional<Problem> held = heldBack(change, selection);
            if (held.isPresent()) {
                skipped.add(held.get());
                continue;
            }
            refusal(change).ifPresentOrElse(refused::add, () -> chosen.add(change));
        }
        return chosen;
    }

    private Optional<Problem> heldBack(Change change, Selection selection) {
        if (change.kind() == Kind.SPECIAL) {
            return Optional.of(new Problem(
                    change.path(), "a FIFO, socket or device is never brought back", "make it on the host yourself"));
        }
        if (selection.names(change.path()) || change.kind() == Kind.DELETED || change.kind() == Kind.UNREADABLE) {
            return Optional.empty();
        }
        return HeldBack.reason(change.path(), linkTarget(change))
                .map(reason -> new Problem(
                        change.path(), reason, "look at it, then name it: capsem apply ID " + change.path()));
    }

    private Optional<Path> linkTarget(Change change) {
        if (change.after().filter(facts -> facts.type() == FileType.SYMLINK).isEmpty()) {
            return Optional.empty();
        }
        try (Anchor parent = parent(upper, change.path())) {
            return Optional.of(parent.linkTarget(change.path().getFileName()));
        } catch (IOException gone) {
            // Unknown is out: a link that changes while we look waits to be named.
            return Optional.of(Path.of("/"));
        }
    }

    private Optional<Problem> refusal(Change change) {
        if (change.kind() == Kind.UNREADABLE) {
            return Optional.of(new Problem(
                    change.path(),
                    "not readable from outside the sandbox",
                    "open it inside (capsem exec ID -- chmod -R u+rwX PATH), or name other paths"));
        }
        if (force) {
            return Optional.empty();
        }
        return movedOn(change)
                .map(reason -> new Problem(
                        change.path(),
                        reason,
                        "compare with `capsem diff ID " + change.path() + "`; --force overwrites the original"));
    }

    private Optional<String> movedOn(Change change) {
        Optional<ProjectManifest.Entry> atCreate = manifest.entry(change.path());
        Optional<FileFacts> now = change.before();
        if (atCreate.isEmpty()) {
            return now.isEmpty()
                    ? Optional.empty()
                    : Optional.of("appeared in the original since the sandbox was made");
        }
        if (now.isEmpty()) {
            return Optional.of("was removed from the original since the sandbox was made");
        }
        return atCreate.get().describes(now.get())
                ? Optional.empty()
                : Optional.of("changed in the original since the sandbox was made");
    }

    /// Removals from the leaves up, then additions from the root down, then directory modes from the leaves up: a
    /// directory that ends read-only must be written first.
    private void write(List<Change> changes) {
        var writer = new ProjectWriter(original, upper);
        for (Change change : changes.reversed()) {
            boolean removesDirectory =
                    change.kind() == Kind.TYPE && change.before().orElseThrow().type() == FileType.DIRECTORY;
            if (change.kind() == Kind.DELETED || removesDirectory) {
                attempt(change, writer::remove);
            }
        }
        for (Change change : changes) {
            if (change.kind() != Kind.DELETED && !isFailed(change)) {
                attempt(change, writer::put);
            }
        }
        for (Change change : changes.reversed()) {
            if (change.kind() != Kind.DELETED && change.isDirectory() && !isFailed(change)) {
                attempt(change, writer::setMode);
            }
        }
        for (Change change : changes) {
            if (!isFailed(change)) {
                applied.add(change.path());
                manifest.put(change.path(), facts(change.path()));
            }
        }
    }

    private interface Step {
        void run(Change change) throws IOException;
    }

    private void attempt(Change change, Step step) {
        try {
            step.run(change);
        } catch (IOException failure) {
            failed.add(new Problem(
                    change.path(),
                    failure.getClass().getSimpleName() + ": " + failure.getMessage(),
                    "see what is left with `capsem diff ID`, then apply again"));
        }
    }

    private boolean isFailed(Change change) {
        return failed.stream().anyMatch(problem -> problem.path().equals(change.path()));
    }

    private Optional<FileFacts> facts(Path path) {
        try {
            Optional<Anchor> anchor = original.descend(path);
            if (anchor.isEmpty()) {
                return Optional.empty();
            }
            try (Anchor present = anchor.get()) {
                return Optional.of(present.facts());
            }
        } catch (IOException closed) {
            return Optional.empty();
        }
    }

    /// The directory that holds `path` below `root`; the caller closes it.
    static Anchor parent(Anchor root, Path path) throws IOException {
        Path parent = path.getParent() == null ? Path.of(".") : path.getParent();
        return root.descend(parent).orElseThrow(() -> new IOException("gone: " + parent));
    }
}
