package dev.capsem.sandbox.trust;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The files and variables of trust, as the guest sees them.
public final class GuestTrust {
    /// The authority alone, for clients that add it to roots of their own.
    public static final String CERTIFICATE = "/etc/capsem/ca.crt";
    /// The host's roots and the authority, for clients that read one file and nothing else.
    public static final String BUNDLE = "/etc/capsem/ca-certificates.crt";
    /// The same for Java.
    public static final String TRUST_STORE = "/etc/capsem/truststore.p12";
    /// Trust stores hold nothing secret; this is the password that all of Java's come with.
    private static final String TRUST_STORE_PASSWORD = "changeit";

    private static final String ALIAS = "capsem";
    private static final Pattern CERTIFICATES =
            Pattern.compile("-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----");

    private GuestTrust() {}

    /// The environment of every process of a sandbox, unless its profile or its caller says otherwise.
    public static Map<String, String> environment() {
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("SSL_CERT_FILE", BUNDLE);
        environment.put("CURL_CA_BUNDLE", BUNDLE);
        environment.put("REQUESTS_CA_BUNDLE", BUNDLE);
        environment.put("PIP_CERT", BUNDLE);
        environment.put("GIT_SSL_CAINFO", BUNDLE);
        environment.put("CARGO_HTTP_CAINFO", BUNDLE);
        environment.put("AWS_CA_BUNDLE", BUNDLE);
        environment.put("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", BUNDLE);
        environment.put("NODE_EXTRA_CA_CERTS", CERTIFICATE);
        environment.put("DENO_CERT", CERTIFICATE);
        environment.put(
                "JAVA_TOOL_OPTIONS",
                "-Djavax.net.ssl.trustStore=" + TRUST_STORE + " -Djavax.net.ssl.trustStorePassword="
                        + TRUST_STORE_PASSWORD);
        return environment;
    }

    /// For login shells that start with an empty environment; what is set already stays.
    public static String profileScript() {
        StringBuilder script = new StringBuilder("# Clients of this sandbox trust Capsem's certificates.\n");
        environment()
                .forEach((name, value) -> script.append("export ")
                        .append(name)
                        .append("=\"${")
                        .append(name)
                        .append(":-")
                        .append(value)
                        .append("}\"\n"));
        return script.toString();
    }

    /// The bundle with the authority in it, once.
    public static String bundle(String hostBundle, AuthorityCertificate authority) {
        String pem = authority.pem();
        if (hostBundle.contains(pem)) {
            return hostBundle;
        }
        return hostBundle.isEmpty() || hostBundle.endsWith("\n") ? hostBundle + pem : hostBundle + "\n" + pem;
    }

    /// A PKCS #12 trust store of a bundle's certificates.
    public static byte[] trustStore(String bundle, AuthorityCertificate authority) {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            Matcher certificates = CERTIFICATES.matcher(bundle);
            for (int i = 0; certificates.find(); i++) {
                addIfReadable(store, factory, "root-" + i, certificates.group());
            }
            store.setCertificateEntry(ALIAS, authority.certificate());
            return stored(store);
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("a trust store cannot be made", e);
        }
    }

    /// A system-wide trust store of Java with the authority in it; empty bytes if it is none that we can read.
    public static byte[] withAuthority(byte[] cacerts, AuthorityCertificate authority) {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(new ByteArrayInputStream(cacerts), TRUST_STORE_PASSWORD.toCharArray());
            store.setCertificateEntry(ALIAS, authority.certificate());
            return stored(store);
        } catch (GeneralSecurityException | IOException e) {
            return new byte[0];
        }
    }

    private static void addIfReadable(KeyStore store, CertificateFactory factory, String alias, String pem)
            throws GeneralSecurityException {
        try {
            X509Certificate certificate = (X509Certificate)
                    factory.generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
            store.setCertificateEntry(alias, certificate);
        } catch (CertificateException e) {
            // A root that this JDK cannot read it could not use either.
        }
    }

    private static byte[] stored(KeyStore store) throws GeneralSecurityException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            store.store(out, TRUST_STORE_PASSWORD.toCharArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
