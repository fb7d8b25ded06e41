package dev.capsem.testkit.tls;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/// A server's certificate with its key.
///
/// @param chain a PEM file
/// @param key a PEM file, PKCS #8
public record OriginCertificate(Path chain, Path key) {
    private static final char[] NO_PASSWORD = new char[0];

    public SSLContext context() {
        try (InputStream in = Files.newInputStream(chain)) {
            Certificate[] certificates = CertificateFactory.getInstance("X.509")
                    .generateCertificates(in)
                    .toArray(new Certificate[0]);
            String pem =
                    Files.readString(key).replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
            PrivateKey privateKey = KeyFactory.getInstance("EC")
                    .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem)));
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, NO_PASSWORD);
            store.setKeyEntry("origin", privateKey, NO_PASSWORD, certificates);
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(store, NO_PASSWORD);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), null, null);
            return context;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (GeneralSecurityException wrong) {
            throw new IllegalStateException(wrong);
        }
    }
}
