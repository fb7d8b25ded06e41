package dev.capsem.profiles.corp;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.EdECPoint;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.EdECPublicKeySpec;
import java.security.spec.NamedParameterSpec;

/// The JDK's Ed25519 over raw keys.
final class Ed25519 {
    static final int KEY_BYTES = 32;
    static final int SIGNATURE_BYTES = 64;

    private Ed25519() {}

    static boolean verify(byte[] publicKey, byte[] message, byte[] signature) {
        try {
            Signature verifier = Signature.getInstance("Ed25519");
            verifier.initVerify(KeyFactory.getInstance("Ed25519")
                    .generatePublic(new EdECPublicKeySpec(NamedParameterSpec.ED25519, point(publicKey))));
            verifier.update(message);
            return verifier.verify(signature);
        } catch (GeneralSecurityException notOne) {
            // Keys that are no points and signatures that are no pairs of numbers verify nothing.
            return false;
        }
    }

    static byte[] sign(byte[] seed, byte[] message) {
        try {
            PrivateKey key = KeyFactory.getInstance("Ed25519")
                    .generatePrivate(new EdECPrivateKeySpec(NamedParameterSpec.ED25519, seed));
            Signature signer = Signature.getInstance("Ed25519");
            signer.initSign(key);
            signer.update(message);
            return signer.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has Ed25519", e);
        }
    }

    /// RFC 8032: little-endian y, and the top bit says whether x is odd.
    private static EdECPoint point(byte[] key) {
        byte[] bigEndian = new byte[KEY_BYTES];
        for (int i = 0; i < KEY_BYTES; i++) {
            bigEndian[i] = key[KEY_BYTES - 1 - i];
        }
        boolean isOdd = (bigEndian[0] & 0x80) != 0;
        bigEndian[0] &= 0x7f;
        return new EdECPoint(isOdd, new BigInteger(1, bigEndian));
    }
}
