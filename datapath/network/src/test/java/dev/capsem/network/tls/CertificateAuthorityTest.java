package dev.capsem.network.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.operator.jcajce.JcaContentVerifierProviderBuilder;
import org.junit.jupiter.api.Test;

class CertificateAuthorityTest {
    private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");

    private final AtomicReference<Instant> now = new AtomicReference<>(NOW);
    private final CertificateAuthority authority =
            new CertificateAuthority(AuthorityKeys.builtIn(), now::get, new SecureRandom());

    @Test
    void anotherReaderSeesTheSameLeaf() throws Exception {
        CertificateAuthority.Leaf leaf = authority.leaf("api.example.com");

        X509CertificateHolder seen =
                new X509CertificateHolder(leaf.chain().get(0).getEncoded());
        X509CertificateHolder issuer =
                new X509CertificateHolder(leaf.chain().get(1).getEncoded());
        assertThat(seen.isSignatureValid(new JcaContentVerifierProviderBuilder().build(issuer)))
                .isTrue();
        assertThat(seen.getIssuer()).isEqualTo(issuer.getSubject());
        assertThat(seen.getNotBefore()).isEqualTo(NOW.minus(Duration.ofHours(1)));
        assertThat(Duration.between(
                        seen.getNotBefore().toInstant(), seen.getNotAfter().toInstant()))
                .isEqualTo(Duration.ofHours(24));
        assertThat(GeneralNames.fromExtensions(seen.getExtensions(), Extension.subjectAlternativeName)
                        .getNames())
                .containsExactly(new GeneralName(GeneralName.dNSName, "api.example.com"));
        assertThat(ExtendedKeyUsage.fromExtensions(seen.getExtensions()).getUsages())
                .containsExactly(KeyPurposeId.id_kp_serverAuth);
        assertThat(BasicConstraints.fromExtensions(seen.getExtensions()).isCA()).isFalse();
        assertThat(seen.getSubjectPublicKeyInfo().getAlgorithm().getParameters().toString())
                .isEqualTo("1.2.840.10045.3.1.7");
    }

    @Test
    void theAuthorityMaySignAndNothingElse() throws Exception {
        X509CertificateHolder seen =
                new X509CertificateHolder(authority.certificate().getEncoded());

        assertThat(seen.getSubject().toString()).isEqualTo("CN=Capsem MITM CA");
        assertThat(seen.getExtension(Extension.basicConstraints).isCritical()).isTrue();
        assertThat(BasicConstraints.fromExtensions(seen.getExtensions()).isCA()).isTrue();
        assertThat(KeyUsage.fromExtensions(seen.getExtensions()).hasUsages(KeyUsage.keyCertSign | KeyUsage.cRLSign))
                .isTrue();
        assertThat(KeyUsage.fromExtensions(seen.getExtensions()).hasUsages(KeyUsage.digitalSignature))
                .isFalse();
    }

    @Test
    void javaTrustsTheChain() throws Exception {
        now.set(Instant.now());
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null);
        store.setCertificateEntry("ca", authority.certificate());
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        X509TrustManager trust = (X509TrustManager) factory.getTrustManagers()[0];

        trust.checkServerTrusted(authority.leaf("a.example").chain().toArray(X509Certificate[]::new), "ECDHE_ECDSA");
        assertThat(authority.leaf("a.example").chain()).hasSize(2);
    }

    @Test
    void addressesAreNamedAsAddresses() throws Exception {
        assertThat(authority.leaf("192.0.2.7").chain().get(0).getSubjectAlternativeNames())
                .containsExactly(List.of(GeneralName.iPAddress, "192.0.2.7"));
        assertThat(authority.leaf("2001:db8::1").chain().get(0).getSubjectAlternativeNames())
                .containsExactly(List.of(GeneralName.iPAddress, "2001:db8:0:0:0:0:0:1"));
    }

    @Test
    void aNameTooLongForACommonNameStillHasItsAlternativeName() throws Exception {
        String name = "a".repeat(60) + "." + "b".repeat(60) + ".example";

        X509Certificate leaf = authority.leaf(name).chain().get(0);

        assertThat(leaf.getSubjectX500Principal().getName()).isEmpty();
        assertThat(leaf.getSubjectAlternativeNames()).containsExactly(List.of(GeneralName.dNSName, name));
    }

    @Test
    void manyAskersOfOneHostCauseOneMint() throws Exception {
        int askers = 64;
        CountDownLatch start = new CountDownLatch(1);
        Set<CertificateAuthority.Leaf> seen = new HashSet<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<CertificateAuthority.Leaf>> asked = new ArrayList<>();
            for (int i = 0; i < askers; i++) {
                asked.add(threads.submit(() -> {
                    start.await();
                    return authority.leaf("one.example");
                }));
            }
            start.countDown();
            for (Future<CertificateAuthority.Leaf> answer : asked) {
                seen.add(answer.get());
            }
        }

        assertThat(authority.minted()).isEqualTo(1);
        assertThat(seen).hasSize(1);
    }

    @Test
    void aLeafIsMadeAnewBeforeItEnds() {
        X509Certificate first = authority.leaf("a.example").chain().get(0);

        now.set(NOW.plus(Duration.ofHours(11)));
        X509Certificate later = authority.leaf("a.example").chain().get(0);
        now.set(NOW.plus(Duration.ofHours(13)));
        X509Certificate renewed = authority.leaf("a.example").chain().get(0);

        assertThat(later).isEqualTo(first);
        assertThat(renewed.getSerialNumber()).isNotEqualTo(first.getSerialNumber());
        assertThat(renewed.getNotAfter()).isAfter(first.getNotAfter());
    }

    @Test
    void generatedPairsSurviveTheirText() {
        AuthorityKeys made = AuthorityKeys.generate(NOW, NOW.plus(Duration.ofDays(36_500)), new SecureRandom());

        assertThat(AuthorityKeys.parse(made.keyPem(), made.certificatePem())).isEqualTo(made);
        assertThat(made.toString()).doesNotContain(made.keyPem().substring(30, 60));
    }

    @Test
    void refusesAKeyThatIsNotTheCertificates() {
        AuthorityKeys one = AuthorityKeys.generate(NOW, NOW.plus(Duration.ofDays(1)), new SecureRandom());

        assertThatThrownBy(() -> AuthorityKeys.parse(
                        one.keyPem(), AuthorityKeys.builtIn().certificatePem()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not the certificate's");
    }
}
