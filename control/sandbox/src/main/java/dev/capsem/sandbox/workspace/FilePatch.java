package dev.capsem.sandbox.workspace;

import dev.capsem.sandbox.workspace.ProjectDiff.FileDiff;
import dev.capsem.sandbox.workspace.diff.BinaryPatch;
import dev.capsem.sandbox.workspace.diff.UnifiedDiff;
import dev.capsem.sandbox.workspace.tree.Anchor;
import dev.capsem.sandbox.workspace.tree.Change;
import dev.capsem.sandbox.workspace.tree.Content;
import dev.capsem.sandbox.workspace.tree.FileFacts;
import dev.capsem.sandbox.workspace.tree.GuestContents;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// One change → its part of the patch.
final class FilePatch {
    static final String DIRECTORY = "directory";

    private final Anchor original;
    private final GuestContents guest;
    private final Origin origin;
    private final String algorithm;

    /// @param algorithm how the repository names blobs: `SHA-1` or `SHA-256`
    FilePatch(Anchor original, GuestContents guest, Origin origin, String algorithm) {
        this.algorithm = algorithm;
        this.original = original;
        this.guest = guest;
        this.origin = origin;
    }

    FileDiff of(Change change) {
        return switch (change.kind()) {
            case SPECIAL -> noted(change, "a FIFO, socket or device: never brought back");
            case UNREADABLE -> noted(change, "not readable from outside the sandbox");
            case ADDED, MODIFIED, MODE, DELETED -> ofPart(change);
            case TYPE -> typeChange(change);
        };
    }

    /// A line that `git apply` passes over.
    static FileDiff noted(Change change, String note) {
        String kind = change.kind().name().toLowerCase(Locale.ROOT);
        String text = "# " + kind + " " + quoted(change.path().toString()) + ": " + note + "\n";
        return new FileDiff(change, 0, 0, text, Optional.of(note));
    }

    /// As git has it: what was is deleted, what is now is added.
    private FileDiff typeChange(Change change) {
        Change addition = Change.added(change.path(), change.after().orElseThrow());
        FileDiff deleted = ofPart(Change.deleted(change.path(), change.before().orElseThrow()));
        FileDiff added = ofPart(change.link().map(addition::with).orElse(addition));
        return new FileDiff(
                change,
                added.added(),
                deleted.deleted(),
                deleted.text() + added.text(),
                deleted.note().or(added::note));
    }

    private FileDiff ofPart(Change change) {
        if (change.isDirectory()) {
            return noted(change, DIRECTORY);
        }
        try {
            Optional<byte[]> after = after(change);
            Optional<byte[]> before = before(change);
            if (before.isEmpty() || after.isEmpty()) {
                return noted(change, "too large to show");
            }
            return patch(change, before.get(), after.get());
        } catch (GuestContents.TooMuch large) {
            return noted(change, "too large to read");
        } catch (IOException closed) {
            return noted(change, "not readable from outside the sandbox");
        }
    }

    private FileDiff patch(Change change, byte[] before, byte[] after) throws IOException {
        String header = header(change);
        if (Arrays.equals(before, after)) {
            boolean isSeen = change.before().isEmpty() || change.after().isEmpty() || header.contains("\nold mode ");
            return isSeen
                    ? new FileDiff(change, 0, 0, header, Optional.empty())
                    : noted(change, "only the mode differs, in a way that git does not keep");
        }
        Optional<String> old = Content.text(before);
        Optional<String> now = Content.text(after);
        if (old.isEmpty() || now.isEmpty()) {
            return new FileDiff(
                    change,
                    0,
                    0,
                    header + index(change, before, after) + BinaryPatch.of(before, after),
                    Optional.of("binary"));
        }
        var hunks = UnifiedDiff.of(old.get(), now.get());
        String path = change.path().toString();
        String names = "--- " + (change.before().isEmpty() ? "/dev/null" : quoted("a/" + path)) + "\n+++ "
                + (change.after().isEmpty() ? "/dev/null" : quoted("b/" + path)) + "\n";
        return new FileDiff(change, hunks.added(), hunks.deleted(), header + names + hunks.hunks(), Optional.empty());
    }

    /// What the guest began with: the original, or, where the user changed that meanwhile, what it was at create.
    private Optional<byte[]> before(Change change) throws IOException {
        if (change.before().isEmpty()) {
            return Optional.of(new byte[0]);
        }
        if (change.kind() == Change.Kind.MODIFIED
                && origin.of(change.path()) instanceof Origin.State.Moved moved
                && moved.base().isPresent()) {
            return moved.base();
        }
        return content(original, change.path());
    }

    private Optional<byte[]> after(Change change) throws IOException {
        if (change.after().isEmpty()) {
            return Optional.of(new byte[0]);
        }
        return change.link().isPresent()
                ? Optional.of(change.link().get().toString().getBytes(StandardCharsets.UTF_8))
                : guest.bytes(change.path(), ProjectDiff.SHOWN_FILE_BYTES_MAX);
    }

    /// Empty when there is too much of it.
    private static Optional<byte[]> content(Anchor root, Path path) throws IOException {
        try (Anchor file = root.descend(path).orElseThrow(() -> new IOException("gone: " + path))) {
            return switch (file.type()) {
                case REGULAR -> Content.bytes(file, ProjectDiff.SHOWN_FILE_BYTES_MAX);
                case SYMLINK -> {
                    try (Anchor parent = ProjectApply.parent(root, path)) {
                        String target = parent.linkTarget(path.getFileName()).toString();
                        yield Optional.of(target.getBytes(StandardCharsets.UTF_8));
                    }
                }
                case DIRECTORY, WHITEOUT, SPECIAL -> Optional.of(new byte[0]);
            };
        }
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

    /// `git apply` takes a binary patch only onto the very content that it names.
    private String index(Change change, byte[] before, byte[] after) throws IOException {
        return "index " + name(change.before(), before) + ".." + name(change.after(), after) + "\n";
    }

    private String name(Optional<FileFacts> facts, byte[] content) throws IOException {
        String name = Content.blobName(algorithm, content);
        return facts.isPresent() ? name : "0".repeat(name.length());
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
