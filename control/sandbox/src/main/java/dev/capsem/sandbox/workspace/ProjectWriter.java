package dev.capsem.sandbox.workspace;

import dev.capsem.sandbox.workspace.tree.Anchor;
import dev.capsem.sandbox.workspace.tree.Change;
import dev.capsem.sandbox.workspace.tree.FileFacts;
import dev.capsem.sandbox.workspace.tree.FileType;
import dev.capsem.sandbox.workspace.tree.GuestContents;
import dev.capsem.sandbox.workspace.tree.SparseOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/// Writes single paths of the guest's into the original. Every directory on the way is opened without following
/// links, so a link in the project never leads a write out of it.
final class ProjectWriter {
    /// setuid and setgid stay behind: a guest must not leave a program that runs as someone else.
    private static final int PERMISSIONS_KEPT = 0777;

    private static final int NEW_DIRECTORY = 0755;

    private final Anchor original;
    private final Anchor upper;
    private final GuestContents guest;
    private final Origin origin;
    private final Map<Path, byte[]> merged;

    /// @param merged what to write in place of the guest's, where the user's changes go in too
    ProjectWriter(Anchor original, Anchor upper, GuestContents guest, Origin origin, Map<Path, byte[]> merged) {
        this.original = original;
        this.upper = upper;
        this.guest = guest;
        this.origin = origin;
        this.merged = merged;
    }

    /// Removes one name; a directory must be empty by now.
    void remove(Change change) throws IOException {
        try (Anchor parent = ProjectApply.parent(original, change.path())) {
            Files.deleteIfExists(parent.path().resolve(change.path().getFileName()));
        }
    }

    /// Puts what the guest has at this path in place of what the original has.
    void put(Change change) throws IOException {
        try (Anchor source = upper.descend(change.path()).orElseThrow(() -> changedMeanwhile(change))) {
            FileFacts expected = change.after().orElseThrow();
            if (source.type() != expected.type()) {
                throw changedMeanwhile(change);
            }
            try (Anchor parent = parentMade(change.path())) {
                put(change, source, parent);
            }
        }
    }

    /// The mode of a directory, once everything in it is written.
    void setMode(Change change) throws IOException {
        try (Anchor directory = original.descend(change.path()).orElseThrow(() -> changedMeanwhile(change))) {
            if (directory.type() == FileType.DIRECTORY) {
                int permissions = change.after().orElseThrow().permissions() & PERMISSIONS_KEPT;
                Files.setAttribute(directory.path(), "unix:mode", permissions);
            }
        }
    }

    private void put(Change change, Anchor source, Anchor parent) throws IOException {
        Path target = parent.path().resolve(change.path().getFileName());
        switch (source.type()) {
            case DIRECTORY -> {
                if (change.kind() == Change.Kind.TYPE) {
                    Files.deleteIfExists(target);
                }
                directory(parent, change.path().getFileName()).close();
            }
            case REGULAR -> {
                Path partial = partial(parent);
                try {
                    byte[] both = merged.get(change.path());
                    if (both == null) {
                        copy(change, source, partial);
                    } else {
                        Files.write(partial, both, StandardOpenOption.CREATE_NEW);
                    }
                    own(partial, change, source);
                    Files.setAttribute(partial, "unix:mode", permissions(change), LinkOption.NOFOLLOW_LINKS);
                    Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE);
                } finally {
                    Files.deleteIfExists(partial);
                }
            }
            case SYMLINK -> {
                Path partial = partial(parent);
                try {
                    Files.createSymbolicLink(partial, change.link().orElseThrow(() -> changedMeanwhile(change)));
                    own(partial, change, source);
                    Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE);
                } finally {
                    Files.deleteIfExists(partial);
                }
            }
            case WHITEOUT, SPECIAL -> throw changedMeanwhile(change);
        }
    }

    /// The guest's, unless only the user changed them.
    private int permissions(Change change) {
        int guests = change.after().orElseThrow().permissions() & PERMISSIONS_KEPT;
        boolean isUsers = change.was(FileType.REGULAR)
                && origin.permissions(change.path())
                        .filter(then -> (then & PERMISSIONS_KEPT) == guests)
                        .isPresent();
        return isUsers ? change.before().orElseThrow().permissions() & PERMISSIONS_KEPT : guests;
    }

    /// The parent directory in the original, made (as the guest has it) where only a file below it was chosen.
    private Anchor parentMade(Path path) throws IOException {
        Anchor at = original.descend(Path.of(".")).orElseThrow(() -> new IOException("the project is gone"));
        for (int i = 0; i < path.getNameCount() - 1; i++) {
            try (Anchor parent = at) {
                at = directory(parent, path.getName(i));
            }
        }
        return at;
    }

    private Anchor directory(Anchor parent, Path name) throws IOException {
        boolean fresh = parent.child(name).map(ProjectWriter::closed).isEmpty();
        if (fresh) {
            Files.createDirectory(parent.path().resolve(name));
        }
        // Opened again without following links, so that owner and mode reach the directory and nothing put in
        // its place.
        Anchor directory = parent.child(name).orElseThrow(() -> new IOException("gone: " + name));
        if (directory.type() != FileType.DIRECTORY) {
            directory.close();
            throw new IOException(name + " is not a directory in the original; choose that path too");
        }
        if (fresh) {
            Files.setAttribute(directory.path(), "unix:mode", NEW_DIRECTORY);
            setOwner(directory.path(), directory.facts(), original.facts());
        }
        return directory;
    }

    private void copy(Change change, Anchor source, Path target) throws IOException {
        try (OutputStream out = new SparseOutput(
                Files.newByteChannel(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))) {
            guest.copy(change.path(), source, out);
        }
    }

    /// A replaced file keeps its owner; a new one gets the project's. Only root can and need do this: its guests' files
    /// belong to mapped ids that mean nothing outside.
    private void own(Path path, Change change, Anchor source) throws IOException {
        FileFacts like =
                change.before().filter(before -> before.type() == source.type()).orElse(original.facts());
        setOwner(path, FileFacts.of(path, LinkOption.NOFOLLOW_LINKS), like, LinkOption.NOFOLLOW_LINKS);
    }

    private static void setOwner(Path path, FileFacts now, FileFacts like, LinkOption... options) throws IOException {
        boolean isRoot = now.owner() == 0;
        if (isRoot && (now.owner() != like.owner() || now.group() != like.group())) {
            Files.setAttribute(path, "unix:gid", like.group(), options);
            Files.setAttribute(path, "unix:uid", like.owner(), options);
        }
    }

    private static boolean closed(Anchor anchor) {
        anchor.close();
        return true;
    }

    private static Path partial(Anchor parent) {
        String suffix = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
        return parent.path().resolve(".capsem-apply-" + suffix);
    }

    private static IOException changedMeanwhile(Change change) {
        return new IOException(change.path() + " changed in the sandbox while it was applied");
    }
}
