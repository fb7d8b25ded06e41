package dev.capsem.backends.builtin;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/// The sandbox's workspace. Every step goes from an open directory to a name in it and follows no link, so that a guest
/// that swaps directories for links while we work gains nothing.
final class Workspace {
    private static final int ENTRIES_MAX = 20_000;
    private static final String TEMPORARY = ".capsem-builtin-";

    private final Path root;
    private final AtomicLong lastTemporary = new AtomicLong(System.nanoTime());

    Workspace(Path root) {
        this.root = root;
    }

    /// @param type `file`, `directory`, `symlink` or `other`
    record Entry(String path, String type, long size, long modifiedUnix) {}

    byte[] read(WorkPath path, long bytesMax) throws ToolFailure {
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

    /// Whole or not at all: written beside it, then moved into its place. Keeps the mode of what it replaces.
    void write(WorkPath path, byte[] content, boolean withParents) throws ToolFailure {
        if (withParents && path.parts().size() > 1) {
            createDirectory(path.parent());
        }
        inParent(path, (parent, name) -> {
            Set<PosixFilePermission> mode = Set.of(
                    PosixFilePermission.OWNER_READ,
                    PosixFilePermission.OWNER_WRITE,
                    PosixFilePermission.GROUP_READ,
                    PosixFilePermission.OTHERS_READ);
            try {
                requireFile(path, attributes(parent, name));
                mode = parent.getFileAttributeView(name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                        .readAttributes()
                        .permissions();
            } catch (NoSuchFileException e) {
                // A new file.
            }
            Path temporary = temporary();
            Set<OpenOption> options =
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            try (SeekableByteChannel channel = parent.newByteChannel(temporary, options)) {
                ByteBuffer buffer = ByteBuffer.wrap(content);
                while (buffer.hasRemaining()) {
                    channel.write(buffer);
                }
            }
            parent.getFileAttributeView(temporary, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .setPermissions(mode);
            parent.move(temporary, parent, name);
            return true;
        });
    }

    Entry stat(WorkPath path) throws ToolFailure {
        return inParent(path, (parent, name) -> entry(path.toString(), attributes(parent, name)));
    }

    void deleteFile(WorkPath path) throws ToolFailure {
        inParent(path, (parent, name) -> {
            if (attributes(parent, name).isDirectory()) {
                throw new ToolFailure(path + " is a directory; use dir_delete");
            }
            parent.deleteFile(name);
            return true;
        });
    }

    /// With all directories above it that are missing. A directory is made in the root, which nobody can swap, and
    /// moved
    /// to its place.
    void createDirectory(WorkPath path) throws ToolFailure {
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

    void deleteDirectory(WorkPath path, boolean recursive) throws ToolFailure {
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
    List<Entry> list(WorkPath path, int depth) throws ToolFailure {
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
            throws IOException, ToolFailure {
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

    // --- walking ------------------------------------------------------------------------------------------------

    private interface InParent<T> {
        T work(SecureDirectoryStream<Path> parent, Path name) throws IOException, ToolFailure;
    }

    private interface InDirectory<T> {
        T work(SecureDirectoryStream<Path> directory) throws IOException, ToolFailure;
    }

    private <T> T inParent(WorkPath path, InParent<T> work) throws ToolFailure {
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
            throws IOException, ToolFailure {
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

    private static BasicFileAttributes attributes(SecureDirectoryStream<Path> directory, Path name) throws IOException {
        return directory
                .getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes();
    }

    private static void requireFile(WorkPath path, BasicFileAttributes attributes) throws ToolFailure {
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
