package dev.capsem.sandbox.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import org.junit.jupiter.api.Test;

class GuestTrustTest {
    private static final AuthorityCertificate AUTHORITY = AuthorityCertificate.builtIn();

    @Test
    void theBuiltInAuthorityIsTheCommittedOne() {
        assertThat(AUTHORITY.certificate().getSubjectX500Principal().getName()).isEqualTo("CN=Capsem MITM CA");
        assertThat(AuthorityCertificate.parse(AUTHORITY.pem())).isEqualTo(AUTHORITY);
    }

    /// The figure is what `openssl x509 -subject_hash` says of this certificate.
    @Test
    void opensslFindsTheAuthorityByItsHash() {
        assertThat(AUTHORITY.subjectHash()).isEqualTo("5d405afc");
    }

    @Test
    void theAuthorityIsInTheBundleOnce() {
        String once = GuestTrust.bundle("roots", AUTHORITY);

        assertThat(once).startsWith("roots\n-----BEGIN").endsWith("-----END CERTIFICATE-----\n");
        assertThat(GuestTrust.bundle(once, AUTHORITY)).isEqualTo(once);
        assertThat(GuestTrust.bundle("", AUTHORITY)).isEqualTo(AUTHORITY.pem());
    }

    @Test
    void javaReadsTheTrustStore() throws Exception {
        byte[] bytes = GuestTrust.trustStore(
                "-----BEGIN CERTIFICATE-----\nbm90IG9uZQ==\n-----END CERTIFICATE-----\n" + AUTHORITY.pem(), AUTHORITY);

        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(new ByteArrayInputStream(bytes), "changeit".toCharArray());
        assertThat(store.getCertificate("capsem")).isEqualTo(AUTHORITY.certificate());
    }

    @Test
    void aSystemStoreKeepsWhatItHasAndGetsTheAuthority() throws Exception {
        KeyStore store = KeyStore.getInstance("JKS");
        store.load(null, null);
        store.setCertificateEntry("old", AUTHORITY.certificate());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        store.store(out, "changeit".toCharArray());

        byte[] changed = GuestTrust.withAuthority(out.toByteArray(), AUTHORITY);

        store.load(new ByteArrayInputStream(changed), "changeit".toCharArray());
        assertThat(store.containsAlias("old")).isTrue();
        assertThat(store.containsAlias("capsem")).isTrue();
        assertThat(GuestTrust.withAuthority("nonsense".getBytes(StandardCharsets.US_ASCII), AUTHORITY))
                .isEmpty();
    }

    @Test
    void loginShellsKeepWhatIsSet() {
        assertThat(GuestTrust.profileScript())
                .contains("export SSL_CERT_FILE=\"${SSL_CERT_FILE:-/etc/capsem/ca-certificates.crt}\"\n");
    }

    @Test
    void aTextThatIsNoCertificateIsRefused() {
        assertThatThrownBy(() -> AuthorityCertificate.parse("nonsense")).isInstanceOf(IllegalArgumentException.class);
    }
}
