package dev.capsem.broker;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;

/// The secret itself. It shows itself to nobody, and is overwritten when it is rotated out.
public final class SecretValue implements AutoCloseable {
    /// Shorter ones could not be told from ordinary text in an answer.
    public static final int BYTES_MIN = 8;

    public static final int BYTES_MAX = 64 * 1024;

    private final byte[] bytes;
    private volatile boolean isClosed;

    /// Requires: [#BYTES_MIN] to [#BYTES_MAX] bytes. They are copied; the caller overwrites its own.
    public SecretValue(byte[] bytes) {
        if (bytes.length < BYTES_MIN || bytes.length > BYTES_MAX) {
            throw new IllegalArgumentException("a secret has " + BYTES_MIN + " to " + BYTES_MAX + " bytes");
        }
        this.bytes = bytes.clone();
    }

    public static SecretValue of(String text) {
        return new SecretValue(text.getBytes(StandardCharsets.UTF_8));
    }

    public int length() {
        return bytes.length;
    }

    /// The value itself, for the broker's own classes only.
    byte[] reveal() {
        if (isClosed) {
            throw new IllegalStateException("this secret was rotated out");
        }
        return bytes;
    }

    @Override
    public void close() {
        isClosed = true;
        Arrays.fill(bytes, (byte) 0);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SecretValue value && MessageDigest.isEqual(bytes, value.bytes);
    }

    /// The same for all: a hash would tell something about the value.
    @Override
    public int hashCode() {
        return 1;
    }

    @Override
    public String toString() {
        return "***";
    }
}
