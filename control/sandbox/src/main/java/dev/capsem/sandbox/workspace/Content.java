package dev.capsem.sandbox.workspace;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/// The bytes of files on both sides, read with a limit.
final class Content {
    private static final int CHUNK = 64 * 1024;

    private Content() {}

    /// Requires: two regular files.
    static boolean equal(Anchor one, Anchor other) throws IOException {
        if (one.facts().size() != other.facts().size()) {
            return false;
        }
        try (InputStream left = one.read();
                InputStream right = other.read()) {
            // The size is the bound: a file that grows while we read is not followed for ever.
            long remaining = one.facts().size();
            while (remaining > 0) {
                byte[] a = left.readNBytes((int) Math.min(CHUNK, remaining));
                byte[] b = right.readNBytes((int) Math.min(CHUNK, remaining));
                if (!Arrays.equals(a, b)) {
                    return false;
                }
                if (a.length == 0) {
                    return true;
                }
                remaining -= a.length;
            }
            return true;
        }
    }

    /// The file as text; empty when it is not UTF-8 text.
    ///
    /// Requires: a regular file of at most `max` bytes when it was opened; what it grew since is left out.
    static Optional<String> text(Anchor file, int max) throws IOException {
        byte[] bytes;
        try (InputStream in = file.read()) {
            bytes = in.readNBytes(max);
        }
        for (byte b : bytes) {
            if (b == 0) {
                return Optional.empty();
            }
        }
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString());
        } catch (CharacterCodingException notText) {
            return Optional.empty();
        }
    }
}
