package dev.capsem.sandbox.workspace.tree;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/// The guest's files, each of one content: a file that is read twice must be the same both times. So what was shown
/// or checked is what is written, whatever a guest that still runs does meanwhile.
public final class GuestContents {
    /// Of all files together, the usual quota of a sandbox. A file with holes claims any size and takes no room:
    /// reading it to its end would take hours.
    static final long READ_BYTES_MAX = 16L * 1024 * 1024 * 1024;

    private static final int CHUNK = 64 * 1024;

    private final Anchor upper;
    private final Map<Path, Long> sizes = new HashMap<>();
    private final Map<Path, String> hashes = new HashMap<>();
    private long left;

    public GuestContents(Anchor upper) {
        this(upper, READ_BYTES_MAX);
    }

    /// @param most how many bytes are read, each file counted once
    public GuestContents(Anchor upper, long most) {
        this.upper = upper;
        this.left = most;
    }

    /// A file that would take longer to read than anybody waits.
    public static final class TooMuch extends IOException {
        private static final long serialVersionUID = 1L;

        TooMuch(Path path) {
            super(path + " is larger than what is left of the " + READ_BYTES_MAX / 1024 / 1024 / 1024
                    + " GiB that are read at once; name the paths you want");
        }
    }

    /// Empty when it holds more than `max` bytes.
    public Optional<byte[]> bytes(Path path, int max) throws IOException {
        try (Anchor file = open(path)) {
            admit(path, file);
            Optional<byte[]> content = Content.bytes(file, max);
            if (content.isPresent()) {
                settle(path, HexFormat.of().formatHex(Content.sha256().digest(content.get())));
            } else {
                copy(path, file, OutputStream.nullOutputStream());
            }
            return content;
        }
    }

    /// SHA-256 of the content.
    public String hash(Path path) throws IOException {
        String known = hashes.get(path);
        if (known == null) {
            try (Anchor file = open(path)) {
                return copy(path, file, OutputStream.nullOutputStream());
            }
        }
        return known;
    }

    /// Writes the content out, and fails afterwards when it is not what was read before.
    ///
    /// @param file the guest's file at this path, open
    public String copy(Path path, Anchor file, OutputStream out) throws IOException {
        admit(path, file);
        MessageDigest digest = Content.sha256();
        try (InputStream in = file.read()) {
            // What it was when it was opened: a file that the guest keeps growing is not followed for ever.
            for (long remaining = file.facts().size(); remaining > 0; ) {
                byte[] chunk = in.readNBytes((int) Math.min(CHUNK, remaining));
                if (chunk.length == 0) {
                    break;
                }
                digest.update(chunk);
                out.write(chunk);
                remaining -= chunk.length;
            }
        }
        String hash = HexFormat.of().formatHex(digest.digest());
        settle(path, hash);
        return hash;
    }

    /// Before the first byte of it is read.
    private void admit(Path path, Anchor file) throws IOException {
        long size = file.facts().size();
        Long before = sizes.get(path);
        if (before == null) {
            if (size > left) {
                throw new TooMuch(path);
            }
            left -= size;
            sizes.put(path, size);
        } else if (before != size) {
            throw changed(path);
        }
    }

    private void settle(Path path, String hash) throws IOException {
        String before = hashes.putIfAbsent(path, hash);
        if (before != null && !before.equals(hash)) {
            throw changed(path);
        }
    }

    private static IOException changed(Path path) {
        return new IOException(path + " changed in the sandbox while it was read");
    }

    private Anchor open(Path path) throws IOException {
        Anchor file = upper.descend(path).orElseThrow(() -> new IOException("gone: " + path));
        if (file.type() != FileType.REGULAR) {
            file.close();
            throw changed(path);
        }
        return file;
    }
}
