package dev.capsem.sandbox.workspace;

import dev.capsem.sandbox.workspace.git.GitIndex;
import dev.capsem.sandbox.workspace.tree.Content;
import dev.capsem.sandbox.workspace.tree.FileFacts;
import dev.capsem.sandbox.workspace.tree.FileType;
import dev.capsem.sandbox.workspace.tree.PathText;
import dev.capsem.sandbox.workspace.tree.WorkspaceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;

/// What files held when the sandbox was made, so that a conflict can be judged by content, and merged. Git knows most
/// of a project already; this keeps the rest in one file of the session, as far as a limit.
final class BaseContents {
    static final String FILE_NAME = "project.base";

    /// What people write is smaller; larger files are known by their hash.
    static final int STORED_FILE_BYTES_MAX = 1024 * 1024;

    /// Bounds what a create writes; what comes after it is known by its hash. An estimate, not a measurement.
    private static final long STORED_BYTES_MAX = 32L * 1024 * 1024;
    /// Bounds what a create reads; what comes after it is known by its times, size and inode. Likewise an estimate.
    private static final long HASHED_BYTES_MAX = 128L * 1024 * 1024;

    private final Path file;

    BaseContents(Path sessionDir) {
        this.file = sessionDir.resolve(FILE_NAME);
    }

    /// Fills in the manifest how each file's content can be known again.
    ///
    /// @param ofInterest what to read of that which git does not know; none for all
    /// @param hidden never read: the guest does not see it, so there is nothing to compare
    void record(
            Path project, ProjectManifest manifest, GitIndex index, Optional<Set<Path>> ofInterest, Set<Path> hidden) {
        long stored = 0;
        long hashed = 0;
        try (var out = open()) {
            for (Path path : manifest.paths()) {
                ProjectManifest.Entry entry = manifest.entry(path).orElseThrow();
                if (entry.type() != FileType.REGULAR && entry.type() != FileType.SYMLINK) {
                    continue;
                }
                Optional<String> blob = index.blobOf(path, entry.facts());
                if (blob.isPresent()) {
                    manifest.put(path, entry.with(new ContentAtCreate.Blob(blob.get())));
                    continue;
                }
                boolean isRead = !hidden.contains(path)
                        && (ofInterest.isEmpty() || ofInterest.get().contains(path) || index.isTracked(path));
                if (isRead && entry.size() <= STORED_FILE_BYTES_MAX && stored + entry.size() <= STORED_BYTES_MAX) {
                    manifest.put(path, entry.with(stored(out, project.resolve(path), entry)));
                    stored += entry.size();
                } else if (isRead && hashed + entry.size() <= HASHED_BYTES_MAX) {
                    manifest.put(path, entry.with(hashed(project.resolve(path), entry)));
                    hashed += entry.size();
                }
            }
        } catch (IOException failure) {
            throw new WorkspaceException(
                    WorkspaceException.Code.PROJECT_UNREADABLE,
                    "cannot write " + file + ": " + failure.getMessage(),
                    "check free space and permissions of the session directory",
                    failure);
        }
    }

    /// Keeps one more content, or its hash when it is large.
    ContentAtCreate keep(byte[] content) throws IOException {
        if (content.length > STORED_FILE_BYTES_MAX) {
            return new ContentAtCreate.Hash(
                    HexFormat.of().formatHex(Content.sha256().digest(content)));
        }
        try (var out = open()) {
            return append(out, content);
        }
    }

    byte[] read(ContentAtCreate.Stored stored) throws IOException {
        try (var in = FileChannel.open(file, StandardOpenOption.READ)) {
            var content = ByteBuffer.allocate(stored.length());
            while (content.hasRemaining()) {
                if (in.read(content, stored.offset() + content.position()) < 0) {
                    throw new IOException(file + " is shorter than the manifest says");
                }
            }
            return content.array();
        }
    }

    private FileChannel open() throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
    }

    private static ContentAtCreate stored(FileChannel out, Path path, ProjectManifest.Entry entry) throws IOException {
        try {
            byte[] content = entry.type() == FileType.SYMLINK
                    ? PathText.bytes(Files.readSymbolicLink(path))
                    : Files.readAllBytes(path);
            return isStill(path, entry) && content.length <= STORED_FILE_BYTES_MAX
                    ? append(out, content)
                    : new ContentAtCreate.Unknown();
        } catch (IOException closed) {
            return new ContentAtCreate.Unknown();
        }
    }

    private static ContentAtCreate hashed(Path path, ProjectManifest.Entry entry) {
        try (var in = Files.newInputStream(path, LinkOption.NOFOLLOW_LINKS)) {
            String hash = HexFormat.of().formatHex(Content.digest(Content.sha256(), in, entry.size()));
            return isStill(path, entry) ? new ContentAtCreate.Hash(hash) : new ContentAtCreate.Unknown();
        } catch (IOException closed) {
            return new ContentAtCreate.Unknown();
        }
    }

    /// The content belongs to the entry only if nobody wrote in between.
    private static boolean isStill(Path path, ProjectManifest.Entry entry) throws IOException {
        return entry.describes(FileFacts.of(path, LinkOption.NOFOLLOW_LINKS));
    }

    private static ContentAtCreate append(FileChannel out, byte[] content) throws IOException {
        long offset = out.size();
        var bytes = ByteBuffer.wrap(content);
        while (bytes.hasRemaining()) {
            out.write(bytes);
        }
        return new ContentAtCreate.Stored(offset, content.length);
    }
}
