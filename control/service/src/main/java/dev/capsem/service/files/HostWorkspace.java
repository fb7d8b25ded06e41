package dev.capsem.service.files;

import dev.capsem.service.problem.ServiceProblem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
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
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// The workspace of a sandbox whose processes do not run, on the host's own disk. Walks directory by directory from
/// an open handle and opens nothing that is a link, so that whatever the guest left there cannot lead outside.
final class HostWorkspace {
    private static final int ENTRIES_MAX = 20_000;

    private final Path workspace;

    HostWorkspace(Path workspace) {
        this.workspace = workspace;
    }

    byte[] read(WorkspacePath path, int bytesMax) {
        return inParent(path, (parent, name) -> {
            BasicFileAttributes attributes = attributes(parent, name);
            requireRegular(path, attributes);
            if (attributes.size() > bytesMax) {
                throw new ServiceProblem(
                        ServiceProblem.Code.TOO_LARGE,
                        path.text() + " has " + attributes.size() + " bytes, more than " + bytesMax,
                        "take it in parts");
            }
            Set<OpenOption> options = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
            try (SeekableByteChannel channel = parent.newByteChannel(name, options)) {
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

    /// Replaces or creates a file. Requires: no process of the sandbox runs, since making parents is not atomic.
    void write(WorkspacePath path, byte[] content) {
        createParents(path);
        inParent(path, (parent, name) -> {
            try {
                requireRegular(path, attributes(parent, name));
            } catch (NoSuchFileException e) {
                // A new file.
            }
            Path temporary = Path.of(".capsem-write-" + ProcessHandle.current().pid() + "-" + System.nanoTime());
            Set<OpenOption> options =
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            try (SeekableByteChannel channel = parent.newByteChannel(
                    temporary,
                    options,
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--")))) {
                ByteBuffer buffer = ByteBuffer.wrap(content);
                while (buffer.hasRemaining()) {
                    channel.write(buffer);
                }
            }
            PosixFileAttributeView view =
                    parent.getFileAttributeView(temporary, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
            view.setPermissions(PosixFilePermissions.fromString("rw-r--r--"));
            giveToGuest(view);
            parent.move(temporary, parent, name);
            return content.length;
        });
    }

    List<GuestFile> list(WorkspacePath path, int depth) {
        List<GuestFile> items = new ArrayList<>();
        try (SecureDirectoryStream<Path> root = open()) {
            descend(root, path.parts(), path, directory -> {
                collect(directory, path.text(), depth, items);
                return items;
            });
        } catch (IOException e) {
            throw explained(path, e);
        }
        return items;
    }

    private void collect(SecureDirectoryStream<Path> directory, String prefix, int depth, List<GuestFile> items)
            throws IOException {
        for (Path entry : directory) {
            if (items.size() == ENTRIES_MAX) {
                throw new ServiceProblem(
                        ServiceProblem.Code.TOO_LARGE,
                        "more than " + ENTRIES_MAX + " files",
                        "list a smaller directory or depth");
            }
            Path name = entry.getFileName();
            BasicFileAttributes attributes = attributes(directory, name);
            String path = prefix.isEmpty() ? name.toString() : prefix + "/" + name;
            items.add(new GuestFile(
                    path,
                    type(attributes),
                    attributes.size(),
                    attributes.lastModifiedTime().toMillis() / 1_000,
                    0));
            if (attributes.isDirectory() && depth > 1) {
                try (SecureDirectoryStream<Path> below =
                        directory.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                    collect(below, path, depth - 1, items);
                }
            }
        }
    }

    private static String type(BasicFileAttributes attributes) {
        if (attributes.isDirectory()) {
            return "directory";
        }
        if (attributes.isSymbolicLink()) {
            return "symlink";
        }
        return attributes.isRegularFile() ? "file" : "other";
    }

    private interface InParent<T> {
        T work(SecureDirectoryStream<Path> parent, Path name) throws IOException;
    }

    private interface InDirectory<T> {
        T work(SecureDirectoryStream<Path> directory) throws IOException;
    }

    private <T> T inParent(WorkspacePath path, InParent<T> work) {
        List<String> parents = path.parts().subList(0, path.parts().size() - 1);
        try (SecureDirectoryStream<Path> root = open()) {
            return descend(root, parents, path, directory -> work.work(directory, Path.of(path.name())));
        } catch (IOException e) {
            throw explained(path, e);
        }
    }

    private <T> T descend(
            SecureDirectoryStream<Path> directory, List<String> parts, WorkspacePath whole, InDirectory<T> work)
            throws IOException {
        if (parts.isEmpty()) {
            return work.work(directory);
        }
        Path name = Path.of(parts.getFirst());
        BasicFileAttributes attributes = attributes(directory, name);
        if (attributes.isSymbolicLink()) {
            throw outside(whole);
        }
        if (!attributes.isDirectory()) {
            throw new NotDirectoryException(whole.text());
        }
        try (SecureDirectoryStream<Path> below = directory.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
            return descend(below, parts.subList(1, parts.size()), whole, work);
        }
    }

    /// Only ever below directories that were just seen to be directories, and nothing runs that could change that.
    private void createParents(WorkspacePath path) {
        Path directory = workspace;
        try {
            for (String part : path.parts().subList(0, path.parts().size() - 1)) {
                directory = directory.resolve(part);
                if (Files.isSymbolicLink(directory)) {
                    throw outside(path);
                }
                if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
                    Files.createDirectory(
                            directory,
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
                    giveToGuest(Files.getFileAttributeView(
                            directory, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS));
                }
            }
        } catch (IOException e) {
            throw explained(path, e);
        }
    }

    /// Inside, the guest is whoever owns the workspace.
    private void giveToGuest(PosixFileAttributeView view) throws IOException {
        PosixFileAttributes guest =
                Files.readAttributes(workspace, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        view.setOwner(guest.owner());
        view.setGroup(guest.group());
    }

    /// The caller closes it.
    @SuppressWarnings("StreamResourceLeak")
    private SecureDirectoryStream<Path> open() throws IOException {
        DirectoryStream<Path> stream = Files.newDirectoryStream(workspace);
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

    private static void requireRegular(WorkspacePath path, BasicFileAttributes attributes) {
        if (attributes.isSymbolicLink()) {
            throw outside(path);
        }
        if (!attributes.isRegularFile()) {
            throw notAFile(path);
        }
    }

    static ServiceProblem notAFile(WorkspacePath path) {
        return new ServiceProblem(
                ServiceProblem.Code.NOT_A_FILE,
                path.text() + " is not a regular file",
                "see what it is: `capsem exec SANDBOX -- ls -la`");
    }

    private static ServiceProblem outside(WorkspacePath path) {
        return new ServiceProblem(
                ServiceProblem.Code.PATH_OUTSIDE,
                path.text() + " is, or goes through, a symbolic link",
                "name the file it points to, if that is below /root");
    }

    static ServiceProblem missing(WorkspacePath path) {
        return new ServiceProblem(
                ServiceProblem.Code.FILE_NOT_FOUND,
                path.text() + " does not exist",
                "see what there is: `capsem exec SANDBOX -- ls -la`, or GET /files/{id}?path=");
    }

    private static RuntimeException explained(WorkspacePath path, IOException e) {
        return switch (e) {
            case NoSuchFileException _ -> missing(path);
            case NotDirectoryException _ -> notAFile(path);
            default -> new UncheckedIOException(e);
        };
    }
}
