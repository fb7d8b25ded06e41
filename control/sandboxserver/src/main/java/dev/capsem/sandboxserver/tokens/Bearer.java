package dev.capsem.sandboxserver.tokens;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;

/// The secret text of a token. 256 random bits: nothing slower than one hash is needed to keep it.
public final class Bearer {
    private static final String PREFIX = "capsem_";
    private static final int SECRET_BYTES = 32;

    private final String text;

    public Bearer(String text) {
        this.text = text;
    }

    static Bearer random(SecureRandom random) {
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(secret);
        return new Bearer(PREFIX + HexFormat.of().formatHex(secret));
    }

    /// For the one answer that hands it over.
    public String reveal() {
        return text;
    }

    byte[] hash() {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return "***";
    }
}
