package dev.capsem.profiles.corp;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.interfaces.EdECPrivateKey;
import java.security.interfaces.EdECPublicKey;
import java.util.Arrays;
import java.util.Base64;

/// A minisign secret key without a password, as `minisign -G -W` and [#generate] make them.
public final class SigningKey {
    private static final int CHECKSUM_BYTES = 32;
    private static final int BYTES = 2 + 2 + 2 + 32 + 8 + 8 + 8 + 64 + CHECKSUM_BYTES;
    private static final int ID_AT = 54;

    private final byte[] id;
    private final byte[] seed;
    private final byte[] publicKey;

    /// The result of reading a key file.
    public sealed interface Parsed {
        record Ok(SigningKey key) implements Parsed {}

        record Refused(String reason) implements Parsed {}
    }

    private SigningKey(byte[] id, byte[] seed, byte[] publicKey) {
        this.id = id;
        this.seed = seed;
        this.publicKey = publicKey;
    }

    public static SigningKey generate(SecureRandom random) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("Ed25519");
            generator.initialize(255, random);
            KeyPair pair = generator.generateKeyPair();
            byte[] id = new byte[8];
            random.nextBytes(id);
            byte[] seed = ((EdECPrivateKey) pair.getPrivate()).getBytes().orElseThrow();
            return new SigningKey(id, seed, raw((EdECPublicKey) pair.getPublic()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has Ed25519", e);
        }
    }

    private static byte[] raw(EdECPublicKey key) {
        byte[] bigEndian = key.getPoint().getY().toByteArray();
        byte[] raw = new byte[Ed25519.KEY_BYTES];
        for (int i = 0; i < Math.min(bigEndian.length, raw.length); i++) {
            raw[i] = bigEndian[bigEndian.length - 1 - i];
        }
        raw[raw.length - 1] |= key.getPoint().isXOdd() ? (byte) 0x80 : 0;
        return raw;
    }

    /// @param text of a secret key file
    public static Parsed parse(String text) {
        String line = text.strip()
                .lines()
                .filter(candidate -> !candidate.startsWith("untrusted comment:"))
                .findFirst()
                .orElse("");
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(line.strip());
        } catch (IllegalArgumentException notBase64) {
            return new Parsed.Refused("this is not a minisign secret key");
        }
        if (bytes.length != BYTES || bytes[0] != 'E' || bytes[1] != 'd' || bytes[4] != 'B' || bytes[5] != '2') {
            return new Parsed.Refused("this is not a minisign secret key");
        }
        if (bytes[2] != 0 || bytes[3] != 0) {
            return new Parsed.Refused("the secret key has a password. Sign with minisign itself, or take the password"
                    + " off with: minisign -C -W -s FILE");
        }
        byte[] id = Arrays.copyOfRange(bytes, ID_AT, ID_AT + 8);
        byte[] seed = Arrays.copyOfRange(bytes, ID_AT + 8, ID_AT + 40);
        byte[] publicKey = Arrays.copyOfRange(bytes, ID_AT + 40, ID_AT + 72);
        byte[] checksum = Arrays.copyOfRange(bytes, ID_AT + 72, BYTES);
        boolean intact = MessageDigest.isEqual(checksum, checksum(id, seed, publicKey));
        return intact
                ? new Parsed.Ok(new SigningKey(id, seed, publicKey))
                : new Parsed.Refused("the secret key is damaged: its checksum does not fit");
    }

    private static byte[] checksum(byte[] id, byte[] seed, byte[] publicKey) {
        ByteBuffer covered = ByteBuffer.allocate(2 + 8 + 64);
        covered.put((byte) 'E').put((byte) 'd').put(id).put(seed).put(publicKey);
        return Blake2b.digest(covered.array(), CHECKSUM_BYTES);
    }

    /// The text of a secret key file, which only its owner may read.
    public String encode() {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        bytes.put((byte) 'E')
                .put((byte) 'd')
                .put((byte) 0)
                .put((byte) 0)
                .put((byte) 'B')
                .put((byte) '2');
        bytes.position(ID_AT);
        bytes.put(id).put(seed).put(publicKey).put(checksum(id, seed, publicKey));
        return "untrusted comment: minisign secret key\n" + Base64.getEncoder().encodeToString(bytes.array()) + "\n";
    }

    public VerifyingKey verifyingKey() {
        return new VerifyingKey(id, publicKey);
    }

    /// Signs the BLAKE2b digest, as minisign does by default.
    ///
    /// @param comment one line that verifiers may believe, such as the date and the file's name
    /// @return the text of the `.minisig` file
    public String sign(byte[] payload, String comment) {
        return sign(Blake2b.digest(payload, Minisign.DIGEST_BYTES), (byte) 'D', comment);
    }

    /// Signs the payload itself, as minisign did before 0.8.
    String signLegacy(byte[] payload, String comment) {
        return sign(payload, (byte) 'd', comment);
    }

    private String sign(byte[] message, byte algorithm, String comment) {
        if (comment.lines().count() > 1) {
            throw new IllegalArgumentException("a comment is one line");
        }
        byte[] signature = Ed25519.sign(seed, message);
        byte[] first = ByteBuffer.allocate(10 + signature.length)
                .put((byte) 'E')
                .put(algorithm)
                .put(id)
                .put(signature)
                .array();
        byte[] global = Ed25519.sign(seed, Minisign.globally(signature, comment));
        Base64.Encoder base64 = Base64.getEncoder();
        return "untrusted comment: signature of a capsem corp payload\n" + base64.encodeToString(first) + "\n"
                + Minisign.TRUSTED + comment + "\n" + base64.encodeToString(global) + "\n";
    }

    @Override
    public String toString() {
        return "SigningKey[***]";
    }
}
