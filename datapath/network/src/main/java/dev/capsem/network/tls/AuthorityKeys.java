package dev.capsem.network.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;

/// The pair that signs what the sandbox sees. Trusted inside sandboxes and nowhere else, which is why the built-in
/// pair may be public: anyone can check that nothing is hidden in it.
public record AuthorityKeys(PrivateKey key, X509Certificate certificate) {
    public static final String COMMON_NAME = "Capsem MITM CA";

    private static final int SERIAL_BITS = 127;

    public AuthorityKeys {
        if (certificate.getBasicConstraints() < 0) {
            throw new IllegalArgumentException("the certificate is not one of an authority");
        }
    }

    /// The pair that comes with the program, from `config/`. That they belong together was tested when it was built;
    /// trying it here would cost every sandbox a signature.
    public static AuthorityKeys builtIn() {
        return read(resource("capsem-ca.key"), resource("capsem-ca.crt"));
    }

    /// A pair of one's own.
    public static AuthorityKeys generate(Instant notBefore, Instant notAfter, SecureRandom random) {
        KeyPair pair = newPair(random);
        byte[] name = CertificateBuilder.name(COMMON_NAME);
        X509Certificate certificate = new CertificateBuilder(
                        newSerial(random), name, name, notBefore, notAfter, pair.getPublic())
                .authority()
                .signed(pair.getPrivate());
        return new AuthorityKeys(pair.getPrivate(), certificate);
    }

    /// @throws IllegalArgumentException if it is not a pair of PEM texts that belong together
    public static AuthorityKeys parse(String keyPem, String certificatePem) {
        AuthorityKeys keys = read(keyPem, certificatePem);
        if (!belongTogether(keys.key, keys.certificate)) {
            throw new IllegalArgumentException("the private key is not the certificate's");
        }
        return keys;
    }

    private static AuthorityKeys read(String keyPem, String certificatePem) {
        try {
            String base64 = keyPem.replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
            PrivateKey key = KeyFactory.getInstance("EC")
                    .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64)));
            byte[] text = certificatePem.getBytes(StandardCharsets.US_ASCII);
            X509Certificate certificate = (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(text));
            return new AuthorityKeys(key, certificate);
        } catch (GeneralSecurityException malformed) {
            throw new IllegalArgumentException("not an EC key in PKCS #8 and its certificate, both PEM", malformed);
        }
    }

    /// A certificate for a server of this name, signed by this authority.
    public X509Certificate issue(
            String dnsName, PublicKey key, Instant notBefore, Instant notAfter, SecureRandom random) {
        return new CertificateBuilder(
                        newSerial(random),
                        certificate.getSubjectX500Principal().getEncoded(),
                        CertificateBuilder.name(dnsName),
                        notBefore,
                        notAfter,
                        key)
                .server()
                .signedWith(certificate.getPublicKey())
                .dnsName(dnsName)
                .signed(this.key);
    }

    public String certificatePem() {
        try {
            return pem("CERTIFICATE", certificate.getEncoded());
        } catch (GeneralSecurityException unencodable) {
            throw new IllegalStateException("a certificate has no encoding", unencodable);
        }
    }

    public String keyPem() {
        return pem("PRIVATE KEY", key.getEncoded());
    }

    @Override
    public String toString() {
        return "AuthorityKeys[" + certificate.getSubjectX500Principal() + ", ***]";
    }

    static KeyPair newPair(SecureRandom random) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"), random);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("this JDK has no P-256", missing);
        }
    }

    /// Positive and not guessable, as RFC 5280 §4.1.2.2 and the browsers want it.
    static BigInteger newSerial(SecureRandom random) {
        return new BigInteger(SERIAL_BITS, random).setBit(SERIAL_BITS - 1);
    }

    private static boolean belongTogether(PrivateKey key, X509Certificate certificate) {
        byte[] probe = "capsem".getBytes(StandardCharsets.US_ASCII);
        try {
            Signature signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(key);
            signature.update(probe);
            byte[] signed = signature.sign();
            signature.initVerify(certificate.getPublicKey());
            signature.update(probe);
            return signature.verify(signed);
        } catch (GeneralSecurityException unusable) {
            return false;
        }
    }

    private static String pem(String type, byte[] der) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n";
    }

    private static String resource(String name) {
        try (InputStream in = AuthorityKeys.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the program was built without " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
