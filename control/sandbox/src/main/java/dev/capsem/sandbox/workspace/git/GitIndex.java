package dev.capsem.sandbox.workspace.git;

import dev.capsem.sandbox.workspace.tree.FileFacts;
import dev.capsem.sandbox.workspace.tree.PathText;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// The index of a repository of the user's: which files git tracks, and which content it knows of each. A file that
/// still has the times, size and inode that stand here has that content; so a project's content is known without
/// reading it.
public final class GitIndex {
    private static final int SIGNATURE = 0x44495243;
    private static final long NANOS = 1_000_000_000L;
    private static final int STAGE = 0x3000;
    private static final int EXTENDED = 0x4000;
    private static final int GITLINK = 0160000;
    /// `link`
    private static final int LINK = 0x6c696e6b;
    /// `git` writes about 100 bytes per file.
    private static final long BYTES_MAX = 256L * 1024 * 1024;

    private final Map<String, Entry> entries = new HashMap<>();
    private final long writtenNanos;

    private GitIndex(long writtenNanos) {
        this.writtenNanos = writtenNanos;
    }

    private record Entry(long changedNanos, long modifiedNanos, int inode, int mode, int size, String blob) {}

    /// Nothing is tracked where there is no index, or one that we cannot read.
    public static GitIndex of(GitPlace place) {
        try {
            Path file = place.index();
            long written = Files.getLastModifiedTime(file).to(TimeUnit.NANOSECONDS);
            var index = new GitIndex(written);
            int nameLength = place.isSha256() ? 32 : 20;
            Optional<String> shared = index.read(file, nameLength);
            if (shared.isPresent()) {
                // Entries that were since replaced or removed are in both or only there: a file that still has their
                // times, size and inode has their content all the same.
                index.read(file.resolveSibling("sharedindex." + shared.get()), nameLength);
            }
            return index;
        } catch (IOException | IndexOutOfBoundsException | BufferUnderflowException unreadable) {
            return empty();
        }
    }

    public static GitIndex empty() {
        return new GitIndex(0);
    }

    public boolean isTracked(Path path) {
        return entries.containsKey(key(path));
    }

    /// The blob that this file holds; empty when the file is not tracked or may have changed since git looked.
    public Optional<String> blobOf(Path path, FileFacts facts) {
        Entry entry = entries.get(key(path));
        if (entry == null || entry.mode == GITLINK) {
            return Optional.empty();
        }
        // As git itself judges: what was written no earlier than the index may have changed after it.
        boolean isSame = entry.modifiedNanos == facts.modifiedNanos()
                && entry.modifiedNanos < writtenNanos
                && entry.changedNanos == facts.changedNanos()
                && entry.inode == (int) facts.inode()
                && entry.size == (int) facts.size();
        return isSame ? Optional.of(entry.blob) : Optional.empty();
    }

    /// Directories that are repositories of their own: submodules.
    List<Path> submodules() {
        var paths = new ArrayList<Path>();
        entries.forEach((name, entry) -> {
            if (entry.mode == GITLINK) {
                paths.add(Path.of(new String(name.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8)));
            }
        });
        return paths;
    }

    /// The name of the index that this one is split from, if it is.
    private Optional<String> read(Path path, int nameLength) throws IOException {
        if (Files.size(path) > BYTES_MAX) {
            return Optional.empty();
        }
        ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(path));
        if (file.getInt() != SIGNATURE) {
            return Optional.empty();
        }
        readEntries(file, nameLength);
        while (file.remaining() > nameLength + 8) {
            int extension = file.getInt();
            int length = file.getInt();
            if (extension == LINK) {
                byte[] name = new byte[nameLength];
                file.get(name);
                return Optional.of(HexFormat.of().formatHex(name));
            }
            file.position(file.position() + Objects.checkIndex(length, file.remaining() + 1));
        }
        return Optional.empty();
    }

    private void readEntries(ByteBuffer file, int blobLength) {
        int version = file.getInt();
        int count = file.getInt();
        byte[] name = new byte[0];
        for (int i = 0; i < count && version >= 2 && version <= 4; i++) {
            int start = file.position();
            long changed = time(file);
            long modified = time(file);
            file.getInt();
            int inode = file.getInt();
            int mode = file.getInt();
            file.getLong();
            int size = file.getInt();
            byte[] blob = new byte[blobLength];
            file.get(blob);
            int flags = file.getShort();
            if ((flags & EXTENDED) != 0) {
                file.getShort();
            }
            name = version == 4 ? compressedName(file, name) : plainName(file, start);
            // Replacements of entries in the index that this one is split from have no names.
            if ((flags & STAGE) == 0 && name.length > 0) {
                String hex = HexFormat.of().formatHex(blob);
                entries.putIfAbsent(
                        new String(name, StandardCharsets.ISO_8859_1),
                        new Entry(changed, modified, inode, mode, size, hex));
            }
        }
    }

    private static long time(ByteBuffer file) {
        long seconds = Integer.toUnsignedLong(file.getInt());
        return seconds * NANOS + file.getInt();
    }

    private static byte[] plainName(ByteBuffer file, int start) {
        byte[] name = untilNul(file);
        int length = file.position() - 1 - start;
        file.position(start + (length + 8) / 8 * 8);
        return name;
    }

    private static byte[] compressedName(ByteBuffer file, byte[] before) {
        int b = file.get();
        int strip = b & 0x7f;
        while ((b & 0x80) != 0) {
            b = file.get();
            strip = ((strip + 1) << 7) | (b & 0x7f);
        }
        Objects.checkIndex(strip, before.length + 1);
        byte[] rest = untilNul(file);
        byte[] name = Arrays.copyOf(before, before.length - strip + rest.length);
        System.arraycopy(rest, 0, name, before.length - strip, rest.length);
        return name;
    }

    private static byte[] untilNul(ByteBuffer file) {
        int end = file.position();
        while (file.get(end) != 0) {
            end++;
        }
        byte[] name = new byte[end - file.position()];
        file.get(name).get();
        return name;
    }

    private static String key(Path path) {
        return new String(PathText.bytes(path), StandardCharsets.ISO_8859_1);
    }
}
