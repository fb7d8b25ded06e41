package dev.capsem.backends.io;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/// Whose certificates count.
public final class TrustedAuthorities {
    private TrustedAuthorities() {}

    /// @param pemFile a bundle that counts instead of the JDK's own; null for the JDK's own
    public static SSLSocketFactory of(@Nullable String pemFile) throws IOException {
        if (pemFile == null || pemFile.isEmpty()) {
            return (SSLSocketFactory) SSLSocketFactory.getDefault();
        }
        try {
            return trusting(read(pemFile));
        } catch (GeneralSecurityException e) {
            throw new IOException("the certificates in SSL_CERT_FILE cannot be used", e);
        }
    }

    /// @param pemFile a bundle that counts beside the JDK's own; null for the JDK's own
    public static SSLSocketFactory beside(@Nullable String pemFile) throws IOException {
        if (pemFile == null || pemFile.isEmpty()) {
            return of(null);
        }
        try {
            List<Certificate> all = new ArrayList<>(read(pemFile));
            TrustManagerFactory usual = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            usual.init((KeyStore) null);
            for (TrustManager manager : usual.getTrustManagers()) {
                if (manager instanceof X509TrustManager known) {
                    all.addAll(List.of(known.getAcceptedIssuers()));
                }
            }
            return trusting(all);
        } catch (GeneralSecurityException e) {
            throw new IOException("the certificates in " + pemFile + " cannot be used", e);
        }
    }

    private static Collection<? extends Certificate> read(String pemFile) throws IOException, GeneralSecurityException {
        // Whole: a certificate factory reads byte by byte.
        try (InputStream in = new ByteArrayInputStream(Files.readAllBytes(Path.of(pemFile)))) {
            return CertificateFactory.getInstance("X.509").generateCertificates(in);
        }
    }

    private static SSLSocketFactory trusting(Collection<? extends Certificate> certificates)
            throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        int count = 0;
        for (Certificate certificate : certificates) {
            store.setCertificateEntry("authority-" + count++, certificate);
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context.getSocketFactory();
    }
}
