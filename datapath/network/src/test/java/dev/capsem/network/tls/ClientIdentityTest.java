package dev.capsem.network.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientIdentityTest {
    private static AuthorityKeys keys() {
        return AuthorityKeys.generate(
                Instant.parse("2020-01-01T00:00:00Z"), Instant.parse("2120-01-01T00:00:00Z"), new SecureRandom());
    }

    private static String problem(String pem) {
        return ClientIdentity.parse(pem) instanceof ClientIdentity.Missing(String reason) ? reason : "none";
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void certificateAndKeyMayComeInAnyOrder(boolean keyFirst) {
        AuthorityKeys keys = keys();
        String pem = keyFirst ? keys.keyPem() + keys.certificatePem() : keys.certificatePem() + keys.keyPem();

        assertThat(ClientIdentity.parse("Bag Attributes\n" + pem))
                .isEqualTo(new ClientIdentity.Held(keys.key(), java.util.List.of(keys.certificate())));
        assertThat(ClientIdentity.parse(pem).toString())
                .doesNotContain(keys.keyPem().substring(40, 60));
    }

    @ParameterizedTest
    @CsvSource({"RSA,2048", "Ed25519,255"})
    void aKeyOfAnotherKindThanItsCertificateIsNoPair(String algorithm, int size) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
        generator.initialize(size);
        String key = "-----BEGIN PRIVATE KEY-----\n"
                + Base64.getMimeEncoder()
                        .encodeToString(generator.generateKeyPair().getPrivate().getEncoded())
                + "\n-----END PRIVATE KEY-----\n";

        assertThat(problem(keys().certificatePem() + key)).contains("cannot be read");
    }

    @Test
    void whatIsMissingIsNamedAndNothingIsRepeated() {
        AuthorityKeys keys = keys();

        assertThat(problem(keys.certificatePem())).contains("needs a certificate and its private key");
        assertThat(problem(keys.keyPem())).contains("needs a certificate and its private key");
        assertThat(problem(keys.certificatePem() + keys().keyPem())).contains("not the first certificate's");
        assertThat(problem(keys.certificatePem() + keys.keyPem().replace("PRIVATE KEY", "EC PRIVATE KEY")))
                .contains("openssl pkcs8 -topk8 -nodes");
        assertThat(problem(keys.certificatePem() + keys.keyPem().replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY")))
                .contains("openssl pkcs8 -topk8 -nodes");
        assertThat(problem("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" + keys.keyPem()))
                .contains("cannot be read");
        assertThat(problem("")).contains("needs a certificate");
    }
}
