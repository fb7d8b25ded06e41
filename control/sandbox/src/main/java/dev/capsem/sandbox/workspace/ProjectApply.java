package dev.capsem.sandbox.workspace;

import dev.capsem.sandbox.workspace.Origin.State;
import dev.capsem.sandbox.workspace.diff.TextMerge;
import dev.capsem.sandbox.workspace.tree.Anchor;
import dev.capsem.sandbox.workspace.tree.ApplyProblem;
import dev.capsem.sandbox.workspace.tree.Change;
import dev.capsem.sandbox.workspace.tree.Change.Kind;
import dev.capsem.sandbox.workspace.tree.Content;
import dev.capsem.sandbox.workspace.tree.FileType;
import dev.capsem.sandbox.workspace.tree.GuestContents;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Brings changes back into the original: first every check, then, if all passed, one path after the other.
final class ProjectApply {
    private final Anchor original;
    private final Anchor upper;
    private final Origin origin;
    private final boolean force;
    private final KeptCopies kept;
    private final GuestContents guest;
    private final List<Path> applied = new ArrayList<>();
    private final Map<Path, byte[]> merged = new HashMap<>();
    private final Set<Path> movedOn = new HashSet<>();
    private final List<ApplyProblem> refused = new ArrayList<>();
    private final List<ApplyProblem> failed = new ArrayList<>();

    ProjectApply(Anchor original, Anchor upper, GuestContents guest, Origin origin, KeptCopies kept, boolean force) {
        this.original = original;
        this.upper = upper;
        this.guest = guest;
        this.origin = origin;
        this.kept = kept;
        this.force = force;
    }

    /// @param waiting what is left out
    ApplyOutcome apply(List<Change> changes, HeldBack.Waiting waiting) {
        List<Change> chosen = check(changes, waiting);
        if (refused.isEmpty()) {
            write(chosen);
        }
        List<Path> both = applied.stream().filter(merged::containsKey).toList();
        return new ApplyOutcome(
                applied, both, waiting.skipped(), waiting.held(), refused, failed, List.of(), kept.used(), 0);
    }

    /// What would be written; nothing is.
    ///
    /// @param merged by path, where the user's changes go in too
    /// @param refused why nothing may be written
    record Plan(List<Change> changes, Map<Path, byte[]> merged, List<ApplyProblem> refused) {}

    Plan plan(List<Change> changes, HeldBack.Waiting waiting) {
        List<Change> chosen = check(changes, waiting);
        return new Plan(chosen, Map.copyOf(merged), List.copyOf(refused));
    }

    private List<Change> check(List<Change> changes, HeldBack.Waiting waiting) {
        var leftOut = new HashSet<Path>();
        waiting.skipped().forEach(problem -> leftOut.add(problem.path()));
        var chosen = new ArrayList<Change>();
        for (Change change : changes) {
            if (!leftOut.contains(change.path())) {
                refusal(change).ifPresentOrElse(refused::add, () -> chosen.add(change));
            }
        }
        return chosen;
    }

    private Optional<ApplyProblem> refusal(Change change) {
        if (change.kind() == Kind.UNREADABLE) {
            return Optional.of(new ApplyProblem(
                    change.path(),
                    "not readable from outside the sandbox",
                    "open it inside (capsem exec ID -- chmod -R u+rwX PATH), or name other paths"));
        }
        Optional<String> reason = switch (origin.of(change.path())) {
            case State.Same() -> Optional.empty();
            case State.Appeared() -> Optional.of("appeared in the original since the sandbox was made");
            case State.Moved moved -> moved(change, moved);
        };
        if (reason.isPresent()) {
            movedOn.add(change.path());
        }
        return force
                ? Optional.empty()
                : reason.map(text -> new ApplyProblem(
                        change.path(),
                        text,
                        "compare with `capsem diff ID " + change.path()
                                + "`; --force takes the sandbox's and keeps a copy of yours"));
    }

    /// Why the user's version stands against the guest's; empty when both fit into one file.
    private Optional<String> moved(Change change, State.Moved moved) {
        if (moved.isGone()) {
            return Optional.of("was removed from the original since the sandbox was made");
        }
        Optional<TextMerge> merge = merge(change, moved);
        if (merge.isEmpty()) {
            return Optional.of("changed in the original since the sandbox was made");
        }
        return switch (merge.get()) {
            case TextMerge.Merged(String text) -> {
                movedOn.add(change.path());
                merged.put(change.path(), text.getBytes(StandardCharsets.UTF_8));
                yield Optional.empty();
            }
            case TextMerge.Conflict(List<String> hunks) ->
                Optional.of("changed in the original and in the sandbox at the same place: " + String.join(", ", hunks)
                        + " of yours");
        };
    }

    /// Empty where there is no text to merge, or where the user's side is to be overwritten anyway.
    private Optional<TextMerge> merge(Change change, State.Moved moved) {
        boolean isText = change.kind() == Kind.MODIFIED
                && change.isNow(FileType.REGULAR)
                && moved.base().isPresent();
        if (!isText || force) {
            return Optional.empty();
        }
        try {
            Optional<String> base = Content.text(moved.base().get());
            Optional<String> ours = text(change.path());
            Optional<String> theirs =
                    guest.bytes(change.path(), ProjectDiff.SHOWN_FILE_BYTES_MAX).flatMap(Content::text);
            return base.isPresent() && ours.isPresent() && theirs.isPresent()
                    ? Optional.of(TextMerge.of(base.get(), ours.get(), theirs.get()))
                    : Optional.empty();
        } catch (IOException closed) {
            return Optional.empty();
        }
    }

    private Optional<String> text(Path path) throws IOException {
        try (Anchor file = original.descend(path).orElseThrow(() -> new IOException("gone: " + path))) {
            return file.type() == FileType.REGULAR
                    ? Content.bytes(file, ProjectDiff.SHOWN_FILE_BYTES_MAX).flatMap(Content::text)
                    : Optional.empty();
        }
    }

    /// Removals from the leaves up, then additions from the root down, then directory modes from the leaves up: a
    /// directory that ends read-only must be written first.
    private void write(List<Change> changes) {
        for (Change change : changes) {
            // Copies of all of it come first: whatever fails later, nothing of the user's is gone.
            if (movedOn.contains(change.path()) || (force && change.before().isPresent())) {
                attempt(change, moved -> kept.keep(original, moved.path()));
            }
        }
        var writer = new ProjectWriter(original, upper, guest, origin, merged);
        for (Change change : changes.reversed()) {
            boolean removesDirectory = change.kind() == Kind.TYPE && change.was(FileType.DIRECTORY);
            if ((change.kind() == Kind.DELETED || removesDirectory) && !isFailed(change)) {
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
        changes.stream().filter(change -> !isFailed(change)).map(Change::path).forEach(applied::add);
    }

    private interface Step {
        void run(Change change) throws IOException;
    }

    private void attempt(Change change, Step step) {
        try {
            step.run(change);
        } catch (IOException failure) {
            failed.add(new ApplyProblem(
                    change.path(),
                    failure.getClass().getSimpleName() + ": " + failure.getMessage(),
                    "see what is left with `capsem diff ID`, then apply again"));
        }
    }

    private boolean isFailed(Change change) {
        return failed.stream().anyMatch(problem -> problem.path().equals(change.path()));
    }

    /// The directory that holds `path` below `root`; the caller closes it.
    static Anchor parent(Anchor root, Path path) throws IOException {
        Path parent = path.getParent() == null ? Path.of(".") : path.getParent();
        return root.descend(parent).orElseThrow(() -> new IOException("gone: " + parent));
    }
}
