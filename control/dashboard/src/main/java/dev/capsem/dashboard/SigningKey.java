package dev.capsem.dashboard;

import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Signs what the dashboard hands to browsers. Never shown.
public final class SigningKey {
    private static final int BYTES = 32;
    private static final int LABEL_BYTES = 5;
    private static final String ALGORITHM = "HmacSHA256";

    private final byte[] bytes;

    SigningKey(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a key has " + BYTES + " bytes");
        }
        this.bytes = bytes.clone();
    }

    static SigningKey random(SecureRandom random) {
        byte[] bytes = new byte[BYTES];
        random.nextBytes(bytes);
        return new SigningKey(bytes);
    }

    String hex() {
        return HexFormat.of().formatHex(bytes);
    }

    /// Of a text for one purpose, in base64url.
    String sign(String purpose, String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(signature(purpose, text));
    }

    /// A name of this home that others do not know, for use in a host name.
    String label() {
        return HexFormat.of().formatHex(signature("label", ""), 0, LABEL_BYTES);
    }

    private byte[] signature(String purpose, String text) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(bytes, ALGORITHM));
            return mac.doFinal((purpose + "\0" + text).getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }

    boolean isSignature(String purpose, String text, String given) {
        return MessageDigest.isEqual(
                sign(purpose, text).getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return "SigningKey[hidden]";
    }
}
