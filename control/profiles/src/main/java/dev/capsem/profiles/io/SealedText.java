package dev.capsem.profiles.io;

import dev.capsem.source.json.JsonValue;
import dev.capsem.source.json.JsonWriter;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// A text under AES-256-GCM, as a file keeps it.
///
/// @param kept where its key is
record SealedText(StoreKey.Kept kept, byte[] nonce, byte[] sealed) {
    static final String SCHEMA = "capsem.secrets.v2";

    private static final String CIPHER = "AES-256-GCM";
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    static SealedText seal(StoreKey.Kept kept, byte[] key, String text) {
        byte[] nonce = new byte[NONCE_BYTES];
        new SecureRandom().nextBytes(nonce);
        try {
            return new SealedText(
                    kept,
                    nonce,
                    cipher(Cipher.ENCRYPT_MODE, kept, key, nonce).doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has AES-GCM", e);
        }
    }

    /// Empty if the key is another one, or the text was changed.
    Optional<String> open(byte[] key) {
        try {
            return Optional.of(
                    new String(cipher(Cipher.DECRYPT_MODE, kept, key, nonce).doFinal(sealed), StandardCharsets.UTF_8));
        } catch (AEADBadTagException changed) {
            return Optional.empty();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has AES-GCM", e);
        }
    }

    private static Cipher cipher(int mode, StoreKey.Kept kept, byte[] key, byte[] nonce)
            throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD((SCHEMA + " " + kept.wireName()).getBytes(StandardCharsets.UTF_8));
        return cipher;
    }

    String json() {
        Base64.Encoder encoder = Base64.getEncoder();
        return JsonWriter.pretty(JsonValue.members()
                        .put("schema", SCHEMA)
                        .put("cipher", CIPHER)
                        .put("key", kept.wireName())
                        .put("nonce", encoder.encodeToString(nonce))
                        .put("sealed", encoder.encodeToString(sealed))
                        .build())
                + "\n";
    }

    /// Whether this is meant to be such a file; one from before says nothing of the kind.
    static boolean isMeant(JsonValue.Members json) {
        return text(json, "schema").filter(SCHEMA::equals).isPresent()
                && json.get("sealed").isPresent();
    }

    /// Empty if something of it is missing or malformed.
    static Optional<SealedText> read(JsonValue.Members json) {
        try {
            Optional<StoreKey.Kept> kept = text(json, "key").flatMap(StoreKey.Kept::named);
            Optional<byte[]> nonce = text(json, "nonce").map(Base64.getDecoder()::decode);
            Optional<byte[]> sealed = text(json, "sealed").map(Base64.getDecoder()::decode);
            boolean isWhole = kept.isPresent()
                    && nonce.filter(bytes -> bytes.length == NONCE_BYTES).isPresent()
                    && sealed.isPresent()
                    && text(json, "cipher").filter(CIPHER::equals).isPresent();
            return isWhole ? Optional.of(new SealedText(kept.get(), nonce.get(), sealed.get())) : Optional.empty();
        } catch (IllegalArgumentException notBase64) {
            return Optional.empty();
        }
    }

    private static Optional<String> text(JsonValue.Members json, String name) {
        return json.get(name).filter(JsonValue.Text.class::isInstance).map(value -> ((JsonValue.Text) value).value());
    }

    /// Says nothing of what is in it.
    @Override
    public String toString() {
        return "sealed text";
    }
}
