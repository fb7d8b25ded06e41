package dev.capsem.profiles.corp;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// Checks minisign signatures, both of the message itself (`Ed`) and of its BLAKE2b digest (`ED`).
public final class Minisign {
    static final String TRUSTED = "trusted comment: ";
    static final int DIGEST_BYTES = 64;

    /// The result of checking a signature.
    public sealed interface Verification {
        /// @param comment covered by the signature, so it may be believed
        record Trusted(VerifyingKey key, String comment) implements Verification {}

        record Refused(String reason) implements Verification {}
    }

    /// A signature file, taken apart.
    private record Parts(boolean isPrehashed, byte[] keyId, byte[] signature, String comment, byte[] global) {}

    private Minisign() {}

    /// @param signature the text of the `.minisig` file
    public static Verification verify(byte[] payload, String signature, Collection<VerifyingKey> keys) {
        Optional<Parts> read = parse(signature);
        if (read.isEmpty()) {
            return new Verification.Refused("the signature file is not minisign's");
        }
        Parts parts = read.get();
        Optional<VerifyingKey> key =
                keys.stream().filter(known -> known.hasId(parts.keyId())).findFirst();
        if (key.isEmpty()) {
            return new Verification.Refused("it is signed with a key that this machine does not trust");
        }
        byte[] message = parts.isPrehashed() ? Blake2b.digest(payload, DIGEST_BYTES) : payload;
        if (!key.get().verifies(message, parts.signature())) {
            return new Verification.Refused("the signature does not fit: the payload was changed after signing");
        }
        if (!key.get().verifies(globally(parts.signature(), parts.comment()), parts.global())) {
            return new Verification.Refused("the signature's trusted comment was changed after signing");
        }
        return new Verification.Trusted(key.get(), parts.comment());
    }

    /// The bytes that the second signature of a file covers.
    static byte[] globally(byte[] signature, String comment) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(signature);
        bytes.writeBytes(comment.getBytes(StandardCharsets.UTF_8));
        return bytes.toByteArray();
    }

    private static Optional<Parts> parse(String text) {
        List<String> lines = text.lines().toList();
        boolean shaped = lines.size() >= 4
                && lines.get(0).startsWith("untrusted comment:")
                && lines.get(2).startsWith(TRUSTED);
        if (!shaped) {
            return Optional.empty();
        }
        try {
            byte[] bytes = Base64.getDecoder().decode(lines.get(1).strip());
            byte[] global = Base64.getDecoder().decode(lines.get(3).strip());
            boolean fits = bytes.length == 10 + Ed25519.SIGNATURE_BYTES
                    && global.length == Ed25519.SIGNATURE_BYTES
                    && bytes[0] == 'E'
                    && (bytes[1] == 'd' || bytes[1] == 'D');
            return fits
                    ? Optional.of(new Parts(
                            bytes[1] == 'D',
                            Arrays.copyOfRange(bytes, 2, 10),
                            Arrays.copyOfRange(bytes, 10, bytes.length),
                            lines.get(2).substring(TRUSTED.length()),
                            global))
                    : Optional.empty();
        } catch (IllegalArgumentException notBase64) {
            return Optional.empty();
        }
    }
}
