package dev.capsem.sandbox.workspace;

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
final class GuestContents {
    private static final int CHUNK = 64 * 1024;

    private final Anchor upper;
    private final Map<Path, String> hashes = new HashMap<>();

    GuestContents(Anchor upper) {
        this.upper = upper;
    }

    /// Empty when it holds more than `max` bytes.
    Optional<byte[]> bytes(Path path, int max) throws IOException {
        try (Anchor file = open(path)) {
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
    String hash(Path path) throws IOException {
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
    String copy(Path path, Anchor file, OutputStream out) throws IOException {
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

    private void settle(Path path, String hash) throws IOException {
        String before = hashes.putIfAbsent(path, hash);
        if (before != null && !before.equals(hash)) {
            throw new IOException(path + " changed in the sandbox while it was read");
        }
    }

    private Anchor open(Path path) throws IOException {
        Anchor file = upper.descend(path).orElseThrow(() -> new IOException("gone: " + path));
        if (file.type() != FileType.REGULAR) {
            file.close();
            throw new IOException(path + " changed in the sandbox while it was read");
        }
        return file;
    }
}
