package dev.capsem.sandbox.workspace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// What the guest changed, as a person reads it: one entry per path, and the whole as numbers.
///
/// @param truncated some files are only named, because the diff was already long
public record ProjectDiff(List<FileDiff> files, int added, int deleted, boolean truncated) {
    /// Larger files are named, not shown.
    static final int SHOWN_FILE_BYTES_MAX = 1024 * 1024;
    /// What one answer holds; the files after it are named, not shown.
    static final int SHOWN_TOTAL_CHARS_MAX = 8 * 1024 * 1024;

    private static final String DIRECTORY = "directory";

    public ProjectDiff {
        files = List.copyOf(files);
    }

    /// @param added, deleted lines; 0 where `text` shows none
    /// @param text a patch that `git apply` takes; where no lines are shown, a comment that it passes over
    /// @param note why no lines are shown: binary, too large, unreadable, …
    public record FileDiff(Change change, int added, int deleted, String text, Optional<String> note) {}

    static ProjectDiff of(List<Change> changes, Anchor original, Anchor upper) {
        var files = new ArrayList<FileDiff>();
        int added = 0;
        int deleted = 0;
        long shown = 0;
        for (Change change : changes) {
            FileDiff diff = shown < SHOWN_TOTAL_CHARS_MAX
                    ? fileDiff(change, original, upper)
                    : noted(
                            change,
                            "not shown: the diff is already " + SHOWN_TOTAL_CHARS_MAX / 1024 / 1024 + " MiB long");
            files.add(diff);
            shown += diff.text().length();
            added += diff.added();
            deleted += diff.deleted();
        }
        return new ProjectDiff(files, added, deleted, shown >= SHOWN_TOTAL_CHARS_MAX);
    }

    private static FileDiff fileDiff(Change change, Anchor original, Anchor upper) {
        return switch (change.kind()) {
            case SPECIAL -> noted(change, "a FIFO, socket or device: never brought back");
            case UNREADABLE -> noted(change, "not readable from outside the sandbox");
            case ADDED, MODIFIED, MODE, DELETED ->
                change.isDirectory() ? noted(change, DIRECTORY) : lines(change, original, upper);
            case TYPE -> typeChange(change, original, upper);
        };
    }

    /// As git has it: what was is deleted, what is now is added.
    private static FileDiff typeChange(Change change, Anchor original, Anchor upper) {
        FileDiff deleted = ofPart(Change.deleted(change.path(), change.before().orElseThrow()), original, upper);
        FileDiff added = ofPart(Change.added(change.path(), change.after().orElseThrow()), original, upper);
        return new FileDiff(
                change,
                added.added(),
                deleted.deleted(),
                deleted.text() + added.text(),
                deleted.note().or(added::note));
    }

    private static FileDiff ofPart(Change part, Anchor original, Anchor upper) {
        return part.isDirectory() ? noted(part, DIRECTORY) : lines(part, original, upper);
    }

    private static FileDiff lines(Change change, Anchor original, Anchor upper) {
        try {
            Optional<String> before = side(change.before(), change.path(), original);
            Optional<String> after = side(change.after(), change.path(), upper);
            if (before.isEmpty() || after.isEmpty()) {
                return noted(change, tooLarge(change) ? "too large to show" : "binary");
            }
            var hunks = UnifiedDiff.of(before.get(), after.get());
            String names = hunks.hunks().isEmpty()
                    ? ""
                    : "--- " + (change.before().isEmpty() ? "/dev/null" : quoted("a/" + change.path())) + "\n+++ "
                            + (change.after().isEmpty() ? "/dev/null" : quoted("b/" + change.path())) + "\n";
            return new FileDiff(
                    change, hunks.added(), hunks.deleted(), header(change) + names + hunks.hunks(), Optional.empty());
        } catch (IOException closed) {
            return noted(change, "not readable from outside the sandbox");
        }
    }

    /// The text of one side: the file's, a link's target, nothing where there is no file; empty when it cannot be
    /// shown.
    private static Optional<String> side(Optional<FileFacts> facts, Path path, Anchor root) throws IOException {
        Optional<FileType> type = facts.map(FileFacts::type);
        if (type.isEmpty() || type.get() == FileType.DIRECTORY) {
            return Optional.of("");
        }
        try (Anchor file = root.descend(path).orElseThrow(() -> new IOException("gone: " + path))) {
            return switch (file.type()) {
                case REGULAR ->
                    file.facts().size() > SHOWN_FILE_BYTES_MAX
                            ? Optional.empty()
                            : Content.text(file, SHOWN_FILE_BYTES_MAX);
                case SYMLINK -> Optional.of(linkTarget(path, root));
                case DIRECTORY, WHITEOUT, SPECIAL -> Optional.of("");
            };
        }
    }

    private static String linkTarget(Path path, Anchor root) throws IOException {
        try (Anchor parent = ProjectApply.parent(root, path)) {
            return parent.linkTarget(path.getFileName()).toString();
        }
    }

    private static boolean tooLarge(Change change) {
        return change.before().filter(ProjectDiff::tooLarge).isPresent()
                || change.after().filter(ProjectDiff::tooLarge).isPresent();
    }

    private static boolean tooLarge(FileFacts facts) {
        return facts.type() == FileType.REGULAR && facts.size() > SHOWN_FILE_BYTES_MAX;
    }

    /// A line that `git apply` passes over.
    private static FileDiff noted(Change change, String note) {
        String kind = change.kind().name().toLowerCase(Locale.ROOT);
        String text = "# " + kind + " " + quoted(change.path().toString()) + ": " + note + "\n";
        return new FileDiff(change, 0, 0, text, Optional.of(note));
    }

    private static String header(Change change) {
        String path = change.path().toString();
        String first = "diff --git " + quoted("a/" + path) + " " + quoted("b/" + path) + "\n";
        Optional<String> before = change.before().map(FileFacts::octalMode);
        Optional<String> after = change.after().map(FileFacts::octalMode);
        if (before.isEmpty() && after.isPresent()) {
            return first + "new file mode " + after.get() + "\n";
        }
        if (before.isPresent() && after.isEmpty()) {
            return first + "deleted file mode " + before.get() + "\n";
        }
        if (before.isPresent() && !before.equals(after)) {
            return first + "old mode " + before.get() + "\nnew mode " + after.get() + "\n";
        }
        return first;
    }

    /// As git quotes a name that would break the line it stands in.
    private static String quoted(String name) {
        if (name.chars().allMatch(c -> c >= ' ' && c != '"' && c != '\\' && c != 0x7f)) {
            return name;
        }
        var text = new StringBuilder("\"");
        name.chars().forEach(c -> {
            switch (c) {
                case '"' -> text.append("\\\"");
                case '\\' -> text.append("\\\\");
                case '\n' -> text.append("\\n");
                case '\t' -> text.append("\\t");
                default -> {
                    if (c < ' ' || c == 0x7f) {
                        text.append("\\%03o".formatted(c));
                    } else {
                        text.append((char) c);
                    }
                }
            }
        });
        return text.append('"').toString();
    }
}
