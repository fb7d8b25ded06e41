package dev.capsem.sandbox.workspace.tree;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// One file-system object, held by descriptor. Whatever happens to its name afterwards, this stays the same object:
/// a guest that swaps a directory for a link between our look and our read gains nothing.
///
/// Everything beyond opening goes through `/proc/self/fd/N`, which the kernel resolves to the object itself.
public final class Anchor implements AutoCloseable {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private final int descriptor;
    private final FileFacts facts;

    private Anchor(int descriptor) throws IOException {
        this.descriptor = descriptor;
        this.facts = FileFacts.of(DESCRIPTORS.resolve(Integer.toString(descriptor)));
    }

    /// Opens a directory we trust the way to; a link as its last component is refused.
    public static Anchor root(Path directory) throws IOException {
        return open(OpenAtNative.CURRENT_DIRECTORY, directory.toAbsolutePath())
                .orElseThrow(() -> new NoSuchFileException(directory.toString()));
    }

    /// The object of this name in this directory, never what a link points to; empty when there is none.
    public Optional<Anchor> child(Path name) throws IOException {
        return open(descriptor, name);
    }

    /// Follows `relative` one directory at a time; empty when a component is missing, a link or a file.
    public Optional<Anchor> descend(Path relative) throws IOException {
        Optional<Anchor> at = child(relative.getName(0));
        for (int i = 1; i < relative.getNameCount() && at.isPresent(); i++) {
            try (Anchor parent = at.get()) {
                at = parent.child(relative.getName(i));
            }
        }
        return at;
    }

    public FileFacts facts() {
        return facts;
    }

    public FileType type() {
        return facts.type();
    }

    /// A path to this object, good while it is open. For a directory, names may be resolved against it.
    public Path path() {
        return DESCRIPTORS.resolve(Integer.toString(descriptor));
    }

    /// The names in this directory, sorted by their bytes.
    ///
    /// Requires: a directory.
    public List<Path> names() throws IOException {
        var names = new ArrayList<Path>();
        // "." makes the kernel insist on a directory and lets the JDK's O_NOFOLLOW look at something that is no link.
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path().resolve("."))) {
            entries.forEach(entry -> names.add(entry.getFileName()));
        } catch (DirectoryIteratorException failure) {
            throw failure.getCause();
        }
        names.sort(null);
        return names;
    }

    /// Requires: a regular file.
    public InputStream read() throws IOException {
        return Files.newInputStream(path());
    }

    /// Requires: a directory.
    public boolean isOpaque() {
        try {
            var view = Files.getFileAttributeView(path().resolve("."), UserDefinedFileAttributeView.class);
            if (view == null) {
                return false;
            }
            var value = ByteBuffer.allocate(8);
            return view.read("overlay.opaque", value) == 1 && value.get(0) == 'y';
        } catch (IOException absent) {
            // No such attribute, or none can be read here: then the directory merges with the one below it.
            return false;
        }
    }

    /// Where the link of this name points. By name, since the kernel reads links so: a swapped one is read as what it
    /// is now.
    ///
    /// Requires: a directory.
    public Path linkTarget(Path name) throws IOException {
        return Files.readSymbolicLink(path().resolve(name));
    }

    @Override
    public void close() {
        OpenAtNative.close(descriptor);
    }

    private static Optional<Anchor> open(int directory, Path name) throws IOException {
        int descriptor = OpenAtNative.open(directory, PathText.bytes(name));
        if (descriptor >= 0) {
            try {
                return Optional.of(new Anchor(descriptor));
            } catch (IOException failure) {
                OpenAtNative.close(descriptor);
                throw failure;
            }
        }
        return switch (-descriptor) {
            case OpenAtNative.ENOENT, OpenAtNative.ENOTDIR -> Optional.empty();
            case OpenAtNative.EACCES -> throw new AccessDeniedException(name.toString());
            default -> throw new FileSystemException(name.toString(), null, "openat: errno " + -descriptor);
        };
    }
}
