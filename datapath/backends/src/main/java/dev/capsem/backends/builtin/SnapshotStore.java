package dev.capsem.backends.builtin;

import dev.capsem.toolserver.ToolFailure;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/// Snapshots on disk, where the guest cannot reach: `slots/<n>` says what was where, one line a path; `objects` holds
/// each content once, under its hash, however many snapshots have it. Everything appears by being moved to its place,
/// so that a program that dies half-way leaves nothing but a temporary file.
final class SnapshotStore {
    private static final int COPY_BYTES = 64 * 1024;
    private static final String DAMAGED = ".damaged-";

    private final Path directory;
    private final long bytesMax;

    /// Guards the directory against the other calls of this program; the file `lock` against other programs.
    private final ReentrantLock lock = new ReentrantLock();

    SnapshotStore(Path directory, long bytesMax) {
        this.directory = directory;
        this.bytesMax = bytesMax;
    }

    /// There is no room for more contents.
    static final class Full extends Exception {
        private static final long serialVersionUID = 1L;

        Full() {
            super("full", null, false, false);
        }
    }

    /// @param digest the SHA-256 in hexadecimal
    /// @param added the bytes by which the store grew; none if it had this content
    record Stored(long bytes, String digest, long added) {}

    interface Work<T> {
        T run() throws IOException, InterruptedException;
    }

    /// Nobody else reads or changes the store meanwhile.
    <T> T exclusively(Work<T> work) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            for (String part : List.of("slots", "objects", "temporary")) {
                Files.createDirectories(directory.resolve(part));
            }
            try (FileChannel file = FileChannel.open(
                            directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock _ = file.lock()) {
                return work.run();
            }
        } catch (IOException e) {
            throw new ToolFailure(
                    "the snapshots cannot be used: " + e.getClass().getSimpleName());
        } finally {
            lock.unlock();
        }
    }

    // --- slots --------------------------------------------------------------------------------------------------

    /// Newest first. A file that cannot be understood is no snapshot: it is set aside, never written over.
    List<Snapshot.Label> labels() throws IOException {
        List<Snapshot.Label> labels = new ArrayList<>();
        for (int slot = 0; slot < Snapshot.Label.AUTOMATIC_SLOTS + Snapshot.Label.NAMED_SLOTS; slot++) {
            try (BufferedReader lines = Files.newBufferedReader(slot(slot))) {
                labels.add(Snapshot.Label.of(
                        JsonMembers.of(Json.parse(Objects.requireNonNullElse(lines.readLine(), "")), "snapshot")));
            } catch (NoSuchFileException e) {
                // Free.
            } catch (JsonShapeException | DateTimeException | IllegalArgumentException | CharacterCodingException e) {
                setAside(slot(slot));
            }
        }
        labels.sort(Comparator.comparing(Snapshot.Label::taken).reversed());
        return labels;
    }

    private static void setAside(Path damaged) throws IOException {
        int number = 1;
        Path aside;
        do {
            aside = damaged.resolveSibling(damaged.getFileName() + DAMAGED + number++);
        } while (Files.exists(aside));
        Files.move(damaged, aside);
    }

    Snapshot load(Snapshot.Label label) throws IOException {
        TreeMap<String, SnapshotEntry> entries = new TreeMap<>();
        try (BufferedReader lines = Files.newBufferedReader(slot(label.slot()))) {
            lines.readLine();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                SnapshotEntry entry = SnapshotEntry.of(JsonMembers.of(Json.parse(line), "entry"));
                entries.put(entry.path(), entry);
            }
        } catch (JsonShapeException | IllegalArgumentException e) {
            throw new ToolFailure(label.checkpoint() + " is damaged; delete it");
        }
        return new Snapshot(label, entries);
    }

    void save(Snapshot snapshot) throws IOException {
        Path temporary = temporary();
        try (BufferedWriter out = Files.newBufferedWriter(temporary)) {
            out.write(Json.text(snapshot.label().toJson()));
            for (SnapshotEntry entry : snapshot.entries().values()) {
                out.write('\n');
                out.write(Json.text(entry.toJson()));
            }
        }
        move(temporary, slot(snapshot.label().slot()));
    }

    void delete(Snapshot.Label label) throws IOException {
        Files.deleteIfExists(slot(label.slot()));
    }

    private Path slot(int number) {
        return directory.resolve("slots").resolve(Integer.toString(number));
    }

    // --- contents -----------------------------------------------------------------------------------------------

    /// Whether a file of this size could ever be kept. One with holes claims any size and takes no room where it is.
    boolean takes(long size) {
        return size <= bytesMax;
    }

    Stored add(InputStream content, long bytesUsed) throws IOException, Full {
        Path temporary = temporary();
        MessageDigest sha256 = sha256();
        long bytes = 0;
        try (OutputStream out = Files.newOutputStream(temporary)) {
            byte[] chunk = new byte[COPY_BYTES];
            for (int count = content.read(chunk); count >= 0; count = content.read(chunk)) {
                bytes += count;
                if (bytes > bytesMax) {
                    throw new Full();
                }
                sha256.update(chunk, 0, count);
                out.write(chunk, 0, count);
            }
        }
        String digest = HexFormat.of().formatHex(sha256.digest());
        Path object = object(digest);
        if (Files.exists(object)) {
            Files.delete(temporary);
            return new Stored(bytes, digest, 0);
        }
        if (bytesUsed + bytes > bytesMax) {
            throw new Full();
        }
        Files.createDirectories(object.getParent());
        move(temporary, object);
        return new Stored(bytes, digest, bytes);
    }

    /// Throws at the end if what was written is not what was stored, as after a power failure.
    void copy(String digest, WritableByteChannel target) throws IOException {
        MessageDigest sha256 = sha256();
        try (InputStream in = Files.newInputStream(object(digest))) {
            byte[] chunk = new byte[COPY_BYTES];
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                sha256.update(chunk, 0, count);
                ByteBuffer buffer = ByteBuffer.wrap(chunk, 0, count);
                while (buffer.hasRemaining()) {
                    target.write(buffer);
                }
            }
        } catch (NoSuchFileException e) {
            throw new ToolFailure("the snapshot's copy of this file is gone");
        }
        if (!HexFormat.of().formatHex(sha256.digest()).equals(digest)) {
            throw new ToolFailure("the snapshot's copy of this file is damaged");
        }
    }

    /// Deletes contents that no snapshot has, and what a program that died left behind. The bytes that remain.
    /// Beside a damaged snapshot no content goes: it may be the damaged one's.
    long sweep() throws IOException {
        Set<String> wanted = new HashSet<>();
        for (Snapshot.Label label : labels()) {
            load(label).entries().values().forEach(entry -> wanted.add(entry.content()));
        }
        try (DirectoryStream<Path> left = Files.newDirectoryStream(directory.resolve("temporary"))) {
            for (Path file : left) {
                Files.delete(file);
            }
        }
        boolean mayDelete = !hasDamaged();
        long bytes = 0;
        try (DirectoryStream<Path> shelves = Files.newDirectoryStream(directory.resolve("objects"))) {
            for (Path shelf : shelves) {
                bytes += sweep(shelf, object -> !mayDelete || wanted.contains(object));
            }
        }
        return bytes;
    }

    private boolean hasDamaged() throws IOException {
        try (DirectoryStream<Path> damaged =
                Files.newDirectoryStream(directory.resolve("slots"), "*" + DAMAGED + "*")) {
            return damaged.iterator().hasNext();
        }
    }

    private static long sweep(Path shelf, Predicate<String> stays) throws IOException {
        long bytes = 0;
        try (DirectoryStream<Path> objects = Files.newDirectoryStream(shelf)) {
            for (Path object : objects) {
                if (stays.test(shelf.getFileName().toString() + object.getFileName())) {
                    bytes += Files.size(object);
                } else {
                    Files.delete(object);
                }
            }
        }
        return bytes;
    }

    private Path object(String digest) {
        return directory.resolve("objects").resolve(digest.substring(0, 2)).resolve(digest.substring(2));
    }

    private Path temporary() throws IOException {
        return Files.createTempFile(directory.resolve("temporary"), "", "");
    }

    private static void move(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
