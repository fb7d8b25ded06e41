package dev.capsem.backends.builtin;

import dev.capsem.toolserver.ToolFailure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// The sandbox's workspace. Every step goes from an open directory to a name in it and follows no link, so that a guest
/// that swaps directories for links while we work gains nothing.
final class WorkspaceFiles {
    private static final int ENTRIES_MAX = 20_000;
    private static final String TEMPORARY = ".capsem-builtin-";
    private static final Set<PosixFilePermission> NEW_FILE = PosixFilePermissions.fromString("rw-r--r--");

    private final Path root;
    private final AtomicLong lastTemporary = new AtomicLong(System.nanoTime());

    WorkspaceFiles(Path root) {
        this.root = root;
    }

    /// @param type `file`, `directory`, `symlink` or `other`
    record Entry(String path, String type, long size, long modifiedUnix) {}

    byte[] read(WorkPath path, long bytesMax) {
        return inParent(path, (parent, name) -> {
            BasicFileAttributes attributes = attributes(parent, name);
            requireFile(path, attributes);
            if (attributes.size() > bytesMax) {
                throw new ToolFailure(path + " has " + attributes.size() + " bytes, more than " + bytesMax);
            }
            try (SeekableByteChannel channel =
                    parent.newByteChannel(name, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
                ByteBuffer buffer = ByteBuffer.allocate((int) attributes.size());
                while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
                    // Until it is full or the file is at its end.
                }
                byte[] bytes = new byte[buffer.position()];
                buffer.flip().get(bytes);
                return bytes;
            }
        });
    }

    interface Content {
        void copyTo(WritableByteChannel target) throws IOException;
    }

    /// Whole or not at all: written beside it, then moved into its place. Keeps the mode of what it replaces.
    void write(WorkPath path, byte[] content, boolean withParents) {
        if (withParents && path.parts().size() > 1) {
            createDirectory(path.parent());
        }
        write(path, Optional.empty(), target -> {
            ByteBuffer buffer = ByteBuffer.wrap(content);
            while (buffer.hasRemaining()) {
                target.write(buffer);
            }
        });
    }

    void restore(WorkPath path, String mode, Content content) {
        write(path, Optional.of(PosixFilePermissions.fromString(mode)), content);
    }

    private void write(WorkPath path, Optional<Set<PosixFilePermission>> wanted, Content content) {
        inParent(path, (parent, name) -> {
            Set<PosixFilePermission> mode = wanted.orElse(NEW_FILE);
            try {
                PosixFileAttributes replaced = attributes(parent, name);
                requireFile(path, replaced);
                mode = wanted.orElse(replaced.permissions());
            } catch (NoSuchFileException e) {
                // A new file.
            }
            Path temporary = temporary();
            Set<OpenOption> options =
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            try {
                try (SeekableByteChannel channel = parent.newByteChannel(temporary, options)) {
                    content.copyTo(channel);
                }
                view(parent, temporary).setPermissions(mode);
                parent.move(temporary, parent, name);
            } catch (IOException | ToolFailure e) {
                discard(parent, temporary);
                throw e;
            }
            return true;
        });
    }

    private static void discard(SecureDirectoryStream<Path> parent, Path temporary) {
        try {
            parent.deleteFile(temporary);
        } catch (IOException e) {
            // Not made, or already moved.
        }
    }

    void restoreLink(WorkPath path, String target) {
        inParent(path, (parent, name) -> {
            Path temporary = temporary();
            // Made in the root, which nobody can swap, then moved to its place.
            Files.createSymbolicLink(root.resolve(temporary), Path.of(target));
            try (SecureDirectoryStream<Path> top = open()) {
                top.move(temporary, parent, name);
            }
            return true;
        });
    }

    void setMode(WorkPath path, String mode) {
        inParent(path, (parent, name) -> {
            view(parent, name).setPermissions(PosixFilePermissions.fromString(mode));
            return true;
        });
    }

    interface Reading<T> {
        T read(InputStream content) throws IOException;
    }

    /// From the beginning to wherever its end is by then.
    <T> T reading(WorkPath path, Reading<T> reading) {
        return inParent(path, (parent, name) -> {
            requireFile(path, attributes(parent, name));
            try (SeekableByteChannel channel =
                    parent.newByteChannel(name, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
                return reading.read(Channels.newInputStream(channel));
            }
        });
    }

    Entry stat(WorkPath path) {
        return inParent(path, (parent, name) -> entry(path.toString(), attributes(parent, name)));
    }

    void deleteFile(WorkPath path) {
        inParent(path, (parent, name) -> {
            if (attributes(parent, name).isDirectory()) {
                throw new ToolFailure(path + " is a directory; use dir_delete");
            }
            parent.deleteFile(name);
            return true;
        });
    }

    /// With all directories above it that are missing. A directory is made in the root, which nobody can swap, and
    /// moved to its place.
    void createDirectory(WorkPath path) {
        for (int depth = 1; depth <= path.parts().size(); depth++) {
            WorkPath step = path.prefix(depth);
            inParent(step, (parent, name) -> {
                try {
                    if (!attributes(parent, name).isDirectory()) {
                        throw new ToolFailure(step + " is there and is no directory");
                    }
                    return true;
                } catch (NoSuchFileException e) {
                    Path temporary = temporary();
                    Files.createDirectory(root.resolve(temporary));
                    try (SecureDirectoryStream<Path> top = open()) {
                        top.move(temporary, parent, name);
                    }
                    return true;
                }
            });
        }
    }

    void deleteDirectory(WorkPath path, boolean recursive) {
        inParent(path, (parent, name) -> {
            if (!attributes(parent, name).isDirectory()) {
                throw new ToolFailure(path + " is no directory");
            }
            if (recursive) {
                empty(parent, name);
            }
            try {
                parent.deleteDirectory(name);
            } catch (DirectoryNotEmptyException e) {
                throw new ToolFailure(path + " is not empty; say recursive=true to delete all of it");
            }
            return true;
        });
    }

    private static void empty(SecureDirectoryStream<Path> parent, Path name) throws IOException {
        try (SecureDirectoryStream<Path> directory = parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
            for (Path entry : directory) {
                Path below = entry.getFileName();
                if (attributes(directory, below).isDirectory()) {
                    empty(directory, below);
                    directory.deleteDirectory(below);
                } else {
                    directory.deleteFile(below);
                }
            }
        }
    }

    /// In the order of their paths.
    List<Entry> list(WorkPath path, int depth) {
        List<Entry> entries = new ArrayList<>();
        try (SecureDirectoryStream<Path> top = open()) {
            descend(top, path.parts(), path, directory -> {
                collect(directory, path.toString(), depth, entries);
                return true;
            });
        } catch (IOException e) {
            throw explained(path, e);
        }
        entries.sort(Comparator.comparing(Entry::path));
        return entries;
    }

    private static void collect(SecureDirectoryStream<Path> directory, String prefix, int depth, List<Entry> entries)
            throws IOException {
        for (Path found : directory) {
            if (entries.size() >= ENTRIES_MAX) {
                throw new ToolFailure("more than " + ENTRIES_MAX + " entries; list a smaller directory or depth");
            }
            Path name = found.getFileName();
            BasicFileAttributes attributes = attributes(directory, name);
            String path = prefix.isEmpty() ? name.toString() : prefix + "/" + name;
            entries.add(entry(path, attributes));
            if (attributes.isDirectory() && depth > 1) {
                try (SecureDirectoryStream<Path> below =
                        directory.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                    collect(below, path, depth - 1, entries);
                }
            }
        }
    }

    /// The facts of a walk about one path.
    ///
    /// @param identity the same as long as it is the same file
    /// @param linkTarget empty if it is no link
    record Node(
            String path,
            SnapshotEntry.Kind kind,
            String mode,
            long size,
            long modifiedNanos,
            String identity,
            String linkTarget) {}

    /// Everything there is, directories before what is in them. What vanishes meanwhile is not there.
    List<Node> walk(int nodesMax) {
        List<Node> nodes = new ArrayList<>();
        try (SecureDirectoryStream<Path> top = open()) {
            walk(top, "", nodesMax, nodes);
        } catch (IOException e) {
            throw explained(new WorkPath(List.of()), e);
        }
        return nodes;
    }

    private void walk(SecureDirectoryStream<Path> directory, String prefix, int nodesMax, List<Node> nodes)
            throws IOException {
        for (Path found : directory) {
            Path name = found.getFileName();
            if (name.toString().startsWith(TEMPORARY)) {
                continue;
            }
            if (nodes.size() >= nodesMax) {
                throw new ToolFailure("the workspace has more than " + nodesMax + " entries");
            }
            try {
                Node node = node(prefix + name, attributes(directory, name));
                nodes.add(node);
                if (node.kind() == SnapshotEntry.Kind.DIRECTORY) {
                    try (SecureDirectoryStream<Path> below =
                            directory.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                        walk(below, prefix + name + "/", nodesMax, nodes);
                    }
                }
            } catch (FileSystemException e) {
                // Gone, swapped, or closed to us.
            }
        }
    }

    private Node node(String path, PosixFileAttributes attributes) throws IOException {
        SnapshotEntry.Kind kind = attributes.isSymbolicLink()
                ? SnapshotEntry.Kind.LINK
                : attributes.isDirectory()
                        ? SnapshotEntry.Kind.DIRECTORY
                        : attributes.isRegularFile() ? SnapshotEntry.Kind.FILE : SnapshotEntry.Kind.LEFT_OUT;
        // By its whole path, for want of anything better: a guest that swaps a directory for a link just now makes us
        // record the text of another link that this process sees, which is none that matters.
        String target = kind == SnapshotEntry.Kind.LINK
                ? Files.readSymbolicLink(root.resolve(path)).toString()
                : "";
        return new Node(
                path,
                kind,
                kind == SnapshotEntry.Kind.LINK ? "" : PosixFilePermissions.toString(attributes.permissions()),
                attributes.size(),
                attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS),
                String.valueOf(attributes.fileKey()),
                target);
    }

    // --- walking ------------------------------------------------------------------------------------------------

    private interface InParent<T> {
        T work(SecureDirectoryStream<Path> parent, Path name) throws IOException;
    }

    private interface InDirectory<T> {
        T work(SecureDirectoryStream<Path> directory) throws IOException;
    }

    private <T> T inParent(WorkPath path, InParent<T> work) {
        if (path.parts().isEmpty()) {
            throw new ToolFailure("the path names the workspace itself");
        }
        List<String> parents = path.parts().subList(0, path.parts().size() - 1);
        try (SecureDirectoryStream<Path> top = open()) {
            return descend(
                    top,
                    parents,
                    path,
                    parent -> work.work(parent, Path.of(path.parts().getLast())));
        } catch (IOException e) {
            throw explained(path, e);
        }
    }

    private <T> T descend(
            SecureDirectoryStream<Path> directory, List<String> parts, WorkPath whole, InDirectory<T> work)
            throws IOException {
        if (parts.isEmpty()) {
            return work.work(directory);
        }
        Path name = Path.of(parts.getFirst());
        BasicFileAttributes attributes = attributes(directory, name);
        if (attributes.isSymbolicLink()) {
            throw new ToolFailure(whole + " goes through a symbolic link; name the place it points to");
        }
        if (!attributes.isDirectory()) {
            throw new NotDirectoryException(whole.toString());
        }
        try (SecureDirectoryStream<Path> below = directory.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
            return descend(below, parts.subList(1, parts.size()), whole, work);
        }
    }

    /// The caller closes it.
    @SuppressWarnings("StreamResourceLeak")
    private SecureDirectoryStream<Path> open() throws IOException {
        DirectoryStream<Path> stream = Files.newDirectoryStream(root);
        if (stream instanceof SecureDirectoryStream<Path> secure) {
            return secure;
        }
        stream.close();
        throw new IllegalStateException("this platform cannot open files relative to a directory");
    }

    private static PosixFileAttributes attributes(SecureDirectoryStream<Path> directory, Path name) throws IOException {
        return view(directory, name).readAttributes();
    }

    private static PosixFileAttributeView view(SecureDirectoryStream<Path> directory, Path name) {
        return directory.getFileAttributeView(name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    }

    private static void requireFile(WorkPath path, BasicFileAttributes attributes) {
        if (attributes.isSymbolicLink()) {
            throw new ToolFailure(path + " is a symbolic link; name the file it points to");
        }
        if (!attributes.isRegularFile()) {
            throw new ToolFailure(path + " is not a regular file");
        }
    }

    private static Entry entry(String path, BasicFileAttributes attributes) {
        String type = attributes.isSymbolicLink()
                ? "symlink"
                : attributes.isDirectory() ? "directory" : attributes.isRegularFile() ? "file" : "other";
        return new Entry(
                path, type, attributes.size(), attributes.lastModifiedTime().toMillis() / 1_000);
    }

    private Path temporary() {
        return Path.of(TEMPORARY + lastTemporary.incrementAndGet());
    }

    private static ToolFailure explained(WorkPath path, IOException e) {
        return switch (e) {
            case NoSuchFileException _ -> new ToolFailure(path + " does not exist");
            case NotDirectoryException _ -> new ToolFailure(path + " goes through something that is no directory");
            default -> new ToolFailure(path + " cannot be used: " + e.getClass().getSimpleName());
        };
    }
}
