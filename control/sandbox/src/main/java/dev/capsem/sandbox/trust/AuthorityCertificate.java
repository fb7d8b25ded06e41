package dev.capsem.sandbox.trust;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.HexFormat;

/// The certificate that sandboxes trust; its key is not needed here and never read.
public record AuthorityCertificate(X509Certificate certificate) {
    private static final int FINGERPRINT_CHARACTERS = 16;

    public AuthorityCertificate {
        if (certificate.getBasicConstraints() < 0) {
            throw new IllegalArgumentException("the certificate is not one of an authority");
        }
    }

    /// The one that comes with the program, from `config/`.
    public static AuthorityCertificate builtIn() {
        try (InputStream in = AuthorityCertificate.class.getResourceAsStream("capsem-ca.crt")) {
            if (in == null) {
                throw new IllegalStateException("the program was built without capsem-ca.crt");
            }
            return parse(new String(in.readAllBytes(), StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// @throws IllegalArgumentException if it is not the certificate of an authority in PEM
    public static AuthorityCertificate parse(String pem) {
        try {
            byte[] text = pem.getBytes(StandardCharsets.US_ASCII);
            return new AuthorityCertificate((X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(text)));
        } catch (CertificateException e) {
            throw new IllegalArgumentException("not a certificate in PEM", e);
        }
    }

    public String pem() {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded());
        return "-----BEGIN CERTIFICATE-----\n" + body + "\n-----END CERTIFICATE-----\n";
    }

    /// Tells authorities apart in file names.
    public String fingerprint() {
        return HexFormat.of().formatHex(digest("SHA-256", encoded())).substring(0, FINGERPRINT_CHARACTERS);
    }

    /// The name under which OpenSSL finds it in a directory of certificates, without the `.0`.
    public String subjectHash() {
        byte[] hash = digest("SHA-1", CanonicalName.of(certificate.getSubjectX500Principal()));
        return HexFormat.of().formatHex(new byte[] {hash[3], hash[2], hash[1], hash[0]});
    }

    private byte[] encoded() {
        try {
            return certificate.getEncoded();
        } catch (CertificateException e) {
            throw new IllegalStateException("a certificate has an encoding", e);
        }
    }

    private static byte[] digest(String algorithm, byte[] bytes) {
        try {
            return MessageDigest.getInstance(algorithm).digest(bytes);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + algorithm, e);
        }
    }
}
