package dev.capsem.sandbox.workspace.tree;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/// The bytes of files on both sides, read with a limit.
public final class Content {
    private static final int CHUNK = 64 * 1024;

    private Content() {}

    /// Requires: two regular files.
    public static boolean equal(Anchor one, Anchor other) throws IOException {
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

    /// Requires: a regular file. Empty when it holds more than `max` bytes.
    public static Optional<byte[]> bytes(Anchor file, int max) throws IOException {
        if (file.facts().size() > max) {
            return Optional.empty();
        }
        try (InputStream in = file.read()) {
            return Optional.of(in.readNBytes(max));
        }
    }

    public static MessageDigest sha256() {
        return digest("SHA-256");
    }

    /// As git names a blob.
    ///
    /// @param algorithm `SHA-1` or `SHA-256`
    public static String blobName(String algorithm, byte[] content) throws IOException {
        return blobName(algorithm, new ByteArrayInputStream(content), content.length);
    }

    public static String blobName(String algorithm, InputStream in, long length) throws IOException {
        MessageDigest digest = digest(algorithm);
        digest.update(("blob " + length + "\0").getBytes(StandardCharsets.US_ASCII));
        return HexFormat.of().formatHex(digest(digest, in, length));
    }

    public static byte[] digest(MessageDigest digest, InputStream in, long bytes) throws IOException {
        for (long remaining = bytes; remaining > 0; ) {
            byte[] chunk = in.readNBytes((int) Math.min(CHUNK, remaining));
            if (chunk.length == 0) {
                break;
            }
            digest.update(chunk);
            remaining -= chunk.length;
        }
        return digest.digest();
    }

    public static MessageDigest digest(String algorithm) {
        try {
            return MessageDigest.getInstance(algorithm);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /// The file as text; empty when it is not UTF-8 text.
    ///
    /// Requires: a regular file of at most `max` bytes when it was opened; what it grew since is left out.
    public static Optional<String> text(Anchor file, int max) throws IOException {
        try (InputStream in = file.read()) {
            return text(in.readNBytes(max));
        }
    }

    /// The bytes as text; empty when they are not UTF-8 text.
    public static Optional<String> text(byte[] bytes) {
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
