package dev.capsem.sandbox.workspace;

import dev.capsem.sandbox.workspace.git.Commits;
import dev.capsem.sandbox.workspace.tree.Anchor;
import dev.capsem.sandbox.workspace.tree.Change;
import dev.capsem.sandbox.workspace.tree.Change.Kind;
import dev.capsem.sandbox.workspace.tree.FileType;
import dev.capsem.sandbox.workspace.tree.GuestContents;
import dev.capsem.sandbox.workspace.tree.PathText;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The changes that `apply` would write, as commands of `git fast-import`: so they become a commit without any file,
/// index or branch of the user's being touched.
///
/// @param merged what to write in place of the guest's, where the user's changes go in too
record BranchContents(List<Change> changes, Map<Path, byte[]> merged, Anchor upper, GuestContents guest)
        implements Commits.Contents {
    private static final int ANYBODY_RUNS = 0111;

    @Override
    public void writeTo(OutputStream out, String prefix) throws IOException {
        for (Change change : changes) {
            // A directory that became a file is gone first; git keeps no empty directories.
            if (change.kind() == Kind.DELETED || change.kind() == Kind.TYPE) {
                line(out, "D " + quoted(prefix, change.path()));
            }
        }
        for (Change change : changes) {
            if (change.kind() != Kind.DELETED && !change.isNow(FileType.DIRECTORY)) {
                put(out, prefix, change);
            }
        }
    }

    private void put(OutputStream out, String prefix, Change change) throws IOException {
        Optional<Path> link = change.link();
        if (link.isPresent()) {
            line(out, "M 120000 inline " + quoted(prefix, change.path()));
            data(out, PathText.bytes(link.get()));
            return;
        }
        int permissions = change.after().orElseThrow().permissions();
        String mode = (permissions & ANYBODY_RUNS) == 0 ? "100644" : "100755";
        line(out, "M " + mode + " inline " + quoted(prefix, change.path()));
        byte[] both = merged.get(change.path());
        if (both != null) {
            data(out, both);
            return;
        }
        try (Anchor file = upper.descend(change.path())
                .filter(found -> found.type() == FileType.REGULAR)
                .orElseThrow(() -> new IOException(change.path() + " changed in the sandbox while it was read"))) {
            line(out, "data " + file.facts().size());
            guest.copy(change.path(), file, out);
            line(out, "");
        }
    }

    private static void data(OutputStream out, byte[] bytes) throws IOException {
        line(out, "data " + bytes.length);
        out.write(bytes);
        line(out, "");
    }

    private static void line(OutputStream out, String text) throws IOException {
        out.write((text + "\n").getBytes(StandardCharsets.ISO_8859_1));
    }

    /// Byte by byte: a name of the guest's ends no line and begins no command.
    private static String quoted(String prefix, Path path) {
        var text = new StringBuilder("\"");
        for (byte[] part : List.of(prefix.getBytes(StandardCharsets.UTF_8), PathText.bytes(path))) {
            for (byte each : part) {
                boolean isPlain = each >= ' ' && each < 0x7f && each != '"' && each != '\\';
                text.append(isPlain ? String.valueOf((char) each) : "\\%03o".formatted(each & 0xff));
            }
        }
        return text.append('"').toString();
    }
}
