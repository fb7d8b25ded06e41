package dev.capsem.network.tls;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/// How we meet upstreams: as a careful client. One pair of contexts for all of them, so that sessions resume whichever
/// exchange comes next; hosts to which we show a certificate have a pair of their own, so that no other host sees it.
///
/// @param everybody for hosts that are not told who calls
/// @param named by host, for those that are
/// @param missing by host: why the certificate that it should be shown cannot be had
public record UpstreamTls(Contexts everybody, Map<String, Contexts> named, Map<String, String> missing) {
    /// @param any offers HTTP/2 and HTTP/1.1
    /// @param http1Only offers HTTP/1.1 alone, for exchanges that want to become something else
    public record Contexts(SslContext any, SslContext http1Only) {}

    public UpstreamTls {
        named = Map.copyOf(named);
        missing = Map.copyOf(missing);
    }

    public Contexts contexts(String host) {
        return named.getOrDefault(host, everybody);
    }

    /// Trusts what the JDK trusts, what the host trusts, and what the settings add. Slow: hundreds of certificates.
    ///
    /// @param bundles PEM files; those that do not exist are passed over
    /// @param extra authorities named by a person: a company's, or a test's
    /// @param identities by the host that is shown them
    public static UpstreamTls trusting(
            List<Path> bundles, Collection<X509Certificate> extra, Map<String, ClientIdentity> identities) {
        Set<X509Certificate> roots = new LinkedHashSet<>(jdkRoots());
        for (Path bundle : bundles) {
            if (Files.isReadable(bundle)) {
                roots.addAll(readBundle(bundle));
            }
        }
        roots.addAll(extra);
        TrustManagerFactory trust = trustIn(roots);
        Map<String, Contexts> named = new HashMap<>();
        Map<String, String> missing = new HashMap<>();
        identities.forEach((host, identity) -> {
            switch (identity) {
                case ClientIdentity.Held held -> named.put(host, contexts(trust, Optional.of(held)));
                case ClientIdentity.Missing(String reason) -> missing.put(host, reason);
            }
        });
        return new UpstreamTls(contexts(trust, Optional.empty()), named, missing);
    }

    private static Contexts contexts(TrustManagerFactory trust, Optional<ClientIdentity.Held> identity) {
        return new Contexts(
                context(trust, identity, ApplicationProtocolNames.HTTP_2, ApplicationProtocolNames.HTTP_1_1),
                context(trust, identity, ApplicationProtocolNames.HTTP_1_1));
    }

    /// @throws IllegalArgumentException if the file holds something else than certificates
    public static Collection<X509Certificate> readBundle(Path bundle) {
        // Whole: a certificate factory reads byte by byte.
        try (InputStream in = new ByteArrayInputStream(Files.readAllBytes(bundle))) {
            Set<X509Certificate> found = new LinkedHashSet<>();
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                found.add((X509Certificate) certificate);
            }
            return found;
        } catch (IOException | GeneralSecurityException unreadable) {
            throw new IllegalArgumentException(bundle + " is not a readable bundle of certificates", unreadable);
        }
    }

    private static SslContext context(
            TrustManagerFactory trust, Optional<ClientIdentity.Held> identity, String... protocols) {
        try {
            SslContextBuilder builder = SslContextBuilder.forClient();
            identity.ifPresent(
                    held -> builder.keyManager(held.key(), held.chain().toArray(X509Certificate[]::new)));
            return builder.sslProvider(SslProvider.OPENSSL)
                    .protocols("TLSv1.3", "TLSv1.2")
                    .trustManager(trust)
                    .endpointIdentificationAlgorithm("HTTPS")
                    .applicationProtocolConfig(new ApplicationProtocolConfig(
                            ApplicationProtocolConfig.Protocol.ALPN,
                            ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                            ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                            protocols))
                    .build();
        } catch (SSLException failure) {
            throw new IllegalStateException("no TLS context for upstreams", failure);
        }
    }

    private static Collection<X509Certificate> jdkRoots() {
        try {
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init((KeyStore) null);
            Set<X509Certificate> found = new LinkedHashSet<>();
            for (TrustManager manager : factory.getTrustManagers()) {
                if (manager instanceof X509TrustManager x509) {
                    found.addAll(List.of(x509.getAcceptedIssuers()));
                }
            }
            return found;
        } catch (GeneralSecurityException failure) {
            throw new IllegalStateException("the JDK has no trust anchors", failure);
        }
    }

    private static TrustManagerFactory trustIn(Set<X509Certificate> roots) {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null);
            int number = 0;
            for (X509Certificate root : roots) {
                store.setCertificateEntry("root-" + number++, root);
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return factory;
        } catch (IOException | GeneralSecurityException failure) {
            throw new IllegalStateException("trust anchors could not be gathered", failure);
        }
    }
}
