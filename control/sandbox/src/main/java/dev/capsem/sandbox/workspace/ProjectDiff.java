package dev.capsem.sandbox.workspace;

import dev.capsem.sandbox.workspace.git.Commits;
import dev.capsem.sandbox.workspace.tree.ApplyProblem;
import dev.capsem.sandbox.workspace.tree.Change;
import dev.capsem.sandbox.workspace.tree.FileType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The guest's changes, as a person reads them: one entry per path, and the whole as numbers.
///
/// @param files what a person wants to see comes first: single files, then crowds of new ones, then large ones
/// @param cut how many files are only named, because the diff was already long
/// @param ignored how many changes of files that git ignores were left out
/// @param commits branches inside with commits that the user does not have
/// @param skipped what `apply` with the same choice leaves out
/// @param held those of the skipped that come when they are named
/// @param digest the name of all this, see [ChangeDigest]
public record ProjectDiff(
        List<FileDiff> files,
        int added,
        int deleted,
        int cut,
        int ignored,
        List<Commits.Inside> commits,
        List<ApplyProblem> skipped,
        List<Path> held,
        String digest) {
    /// Larger files are named, not shown.
    static final int SHOWN_FILE_BYTES_MAX = 4 * 1024 * 1024;
    /// What one answer holds; the files after it are named, not shown.
    static final int SHOWN_TOTAL_CHARS_MAX = 8 * 1024 * 1024;

    /// Nobody reads more new files of one directory before the others.
    private static final int CROWD = 200;
    /// What people write is smaller.
    private static final int LARGE_BYTES = 256 * 1024;

    public ProjectDiff {
        files = List.copyOf(files);
        commits = List.copyOf(commits);
        skipped = List.copyOf(skipped);
        held = List.copyOf(held);
    }

    static ProjectDiff nothing() {
        return new ProjectDiff(List.of(), 0, 0, 0, 0, List.of(), List.of(), List.of(), "");
    }

    ProjectDiff with(HeldBack.Waiting waiting, String name) {
        return new ProjectDiff(files, added, deleted, cut, ignored, commits, waiting.skipped(), waiting.held(), name);
    }

    /// @param added, deleted lines; 0 where `text` shows none
    /// @param text a patch that `git apply` takes; where nothing is shown, a comment that it passes over
    /// @param note why no lines are shown: binary, too large, unreadable, …
    public record FileDiff(Change change, int added, int deleted, String text, Optional<String> note) {}

    static ProjectDiff of(List<Change> changes, FilePatch patch, int ignored, List<Commits.Inside> commits) {
        var files = new ArrayList<FileDiff>();
        int added = 0;
        int deleted = 0;
        int cut = 0;
        long shown = 0;
        for (Change change : ordered(changes)) {
            FileDiff diff = patch.of(change);
            if (shown + diff.text().length() > SHOWN_TOTAL_CHARS_MAX) {
                diff = FilePatch.noted(
                        change, "not shown: the diff is already " + SHOWN_TOTAL_CHARS_MAX / 1024 / 1024 + " MiB long");
                cut++;
            }
            files.add(diff);
            shown += diff.text().length();
            added += diff.added();
            deleted += diff.deleted();
        }
        return new ProjectDiff(files, added, deleted, cut, ignored, commits, List.of(), List.of(), "");
    }

    /// By path, but large files and whole trees of new ones after all others: a cut must not hit what matters.
    private static List<Change> ordered(List<Change> changes) {
        var crowds = new HashMap<Path, Integer>();
        Path added = null;
        var tops = new HashMap<Path, Path>();
        for (Change change : changes) {
            if (added == null || !change.path().startsWith(added)) {
                added = change.kind() == Change.Kind.ADDED && change.isDirectory() ? change.path() : null;
            }
            if (added != null) {
                tops.put(change.path(), added);
                crowds.merge(added, 1, Integer::sum);
            }
        }
        return changes.stream()
                .sorted(Comparator.comparingInt((Change change) -> rank(change, tops, crowds))
                        .thenComparing(Change::path))
                .toList();
    }

    private static int rank(Change change, Map<Path, Path> tops, Map<Path, Integer> crowds) {
        Path top = tops.get(change.path());
        boolean isCrowded = top != null && crowds.getOrDefault(top, 0) > CROWD;
        boolean isLarge = change.after()
                .or(change::before)
                .filter(facts -> facts.type() == FileType.REGULAR && facts.size() > LARGE_BYTES)
                .isPresent();
        return (isCrowded ? 1 : 0) + (isLarge ? 2 : 0);
    }
}
