package dev.capsem.profiles.corp;

import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;

/// A minisign public key: whom we believe.
public final class VerifyingKey {
    private static final int BYTES = 2 + 8 + Ed25519.KEY_BYTES;

    private final byte[] id;
    private final byte[] key;

    VerifyingKey(byte[] id, byte[] key) {
        this.id = id.clone();
        this.key = key.clone();
    }

    /// Reads a key file, or its second line alone; empty if it is neither.
    public static Optional<VerifyingKey> parse(String text) {
        String line = text.strip()
                .lines()
                .filter(candidate -> !candidate.startsWith("untrusted comment:"))
                .findFirst()
                .orElse("");
        try {
            byte[] bytes = Base64.getDecoder().decode(line.strip());
            return bytes.length == BYTES && bytes[0] == 'E' && bytes[1] == 'd'
                    ? Optional.of(
                            new VerifyingKey(Arrays.copyOfRange(bytes, 2, 10), Arrays.copyOfRange(bytes, 10, BYTES)))
                    : Optional.empty();
        } catch (IllegalArgumentException notBase64) {
            return Optional.empty();
        }
    }

    /// The text of a key file.
    public String encode() {
        byte[] bytes = new byte[BYTES];
        bytes[0] = 'E';
        bytes[1] = 'd';
        System.arraycopy(id, 0, bytes, 2, 8);
        System.arraycopy(key, 0, bytes, 10, Ed25519.KEY_BYTES);
        return "untrusted comment: minisign public key " + name() + "\n"
                + Base64.getEncoder().encodeToString(bytes) + "\n";
    }

    /// As minisign shows it.
    public String name() {
        byte[] reversed = new byte[8];
        for (int i = 0; i < 8; i++) {
            reversed[i] = id[7 - i];
        }
        return HexFormat.of().withUpperCase().formatHex(reversed);
    }

    boolean hasId(byte[] other) {
        return Arrays.equals(id, other);
    }

    boolean verifies(byte[] message, byte[] signature) {
        return Ed25519.verify(key, message, signature);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof VerifyingKey that && Arrays.equals(id, that.id) && Arrays.equals(key, that.key);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(id);
    }

    @Override
    public String toString() {
        return "VerifyingKey[" + name() + "]";
    }
}
