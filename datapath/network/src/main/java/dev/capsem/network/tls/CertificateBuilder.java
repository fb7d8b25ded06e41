package dev.capsem.network.tls;

import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Puts one X.509 v3 certificate together and has it signed with ECDSA and SHA-256 (RFC 5280, RFC 5758).
final class CertificateBuilder {
    private static final byte[] ECDSA_WITH_SHA256 = Der.sequence(Der.oid("1.2.840.10045.4.3.2"));
    private static final String COMMON_NAME = "2.5.4.3";
    private static final String SUBJECT_KEY_IDENTIFIER = "2.5.29.14";
    private static final String AUTHORITY_KEY_IDENTIFIER = "2.5.29.35";
    private static final String BASIC_CONSTRAINTS = "2.5.29.19";
    private static final String KEY_USAGE = "2.5.29.15";
    private static final String EXTENDED_KEY_USAGE = "2.5.29.37";
    private static final String SUBJECT_ALTERNATIVE_NAME = "2.5.29.17";
    private static final String SERVER_AUTHENTICATION = "1.3.6.1.5.5.7.3.1";

    private static final int KEY_IDENTIFIER_BYTES = 20;

    /// The numbers of GeneralName's choices.
    private static final int DNS_NAME = 2;

    private static final int IP_ADDRESS = 7;

    private final List<byte[]> extensions = new ArrayList<>();
    private final BigInteger serial;
    private final byte[] issuer;
    private final byte[] subject;
    private final Instant notBefore;
    private final Instant notAfter;
    private final PublicKey key;

    CertificateBuilder(
            BigInteger serial, byte[] issuer, byte[] subject, Instant notBefore, Instant notAfter, PublicKey key) {
        this.serial = serial;
        this.issuer = issuer;
        this.subject = subject;
        this.notBefore = notBefore;
        this.notAfter = notAfter;
        this.key = key;
    }

    /// A distinguished name of one part; the empty name if there is no text.
    static byte[] name(String commonName) {
        return commonName.isEmpty()
                ? Der.sequence()
                : Der.sequence(Der.set(Der.sequence(Der.oid(COMMON_NAME), Der.utf8(commonName))));
    }

    CertificateBuilder authority() {
        plain(SUBJECT_KEY_IDENTIFIER, Der.octetString(keyIdentifier(key)));
        critical(BASIC_CONSTRAINTS, Der.sequence(Der.yes()));
        // keyCertSign is bit 5, cRLSign bit 6: two bits set, one unused.
        critical(KEY_USAGE, Der.bitString(1, new byte[] {0b0000_0110}));
        return this;
    }

    CertificateBuilder server() {
        critical(BASIC_CONSTRAINTS, Der.sequence());
        critical(KEY_USAGE, Der.bitString(7, new byte[] {(byte) 0b1000_0000}));
        plain(EXTENDED_KEY_USAGE, Der.sequence(Der.oid(SERVER_AUTHENTICATION)));
        return this;
    }

    /// Strict verifiers, such as Python's from 3.13 on, refuse a leaf that does not say which key signed it.
    CertificateBuilder signedWith(PublicKey issuerKey) {
        plain(AUTHORITY_KEY_IDENTIFIER, Der.sequence(Der.implicit(0, keyIdentifier(issuerKey))));
        return this;
    }

    CertificateBuilder dnsName(String name) {
        alternativeName(Der.implicit(DNS_NAME, name.getBytes(StandardCharsets.US_ASCII)));
        return this;
    }

    CertificateBuilder address(InetAddress address) {
        alternativeName(Der.implicit(IP_ADDRESS, address.getAddress()));
        return this;
    }

    /// RFC 5280 §4.2.1.6: critical exactly if it is the only name there is.
    private void alternativeName(byte[] name) {
        if (Arrays.equals(subject, name(""))) {
            critical(SUBJECT_ALTERNATIVE_NAME, Der.sequence(name));
        } else {
            plain(SUBJECT_ALTERNATIVE_NAME, Der.sequence(name));
        }
    }

    X509Certificate signed(PrivateKey issuerKey) {
        byte[] toBeSigned = Der.sequence(
                Der.explicit(0, Der.integer(BigInteger.TWO)),
                Der.integer(serial),
                ECDSA_WITH_SHA256,
                issuer,
                Der.sequence(Der.time(notBefore), Der.time(notAfter)),
                subject,
                key.getEncoded(),
                Der.explicit(3, Der.sequence(extensions.toArray(byte[][]::new))));
        try {
            Signature signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(issuerKey);
            signature.update(toBeSigned);
            byte[] der = Der.sequence(toBeSigned, ECDSA_WITH_SHA256, Der.bitString(0, signature.sign()));
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
        } catch (GeneralSecurityException failure) {
            throw new IllegalStateException("a certificate could not be made", failure);
        }
    }

    /// RFC 7093 §2, method 4, over the whole key structure.
    private static byte[] keyIdentifier(PublicKey key) {
        try {
            return Arrays.copyOf(MessageDigest.getInstance("SHA-256").digest(key.getEncoded()), KEY_IDENTIFIER_BYTES);
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("this JDK has no SHA-256", missing);
        }
    }

    private void critical(String oid, byte[] value) {
        extensions.add(Der.sequence(Der.oid(oid), Der.yes(), Der.octetString(value)));
    }

    private void plain(String oid, byte[] value) {
        extensions.add(Der.sequence(Der.oid(oid), Der.octetString(value)));
    }
}
