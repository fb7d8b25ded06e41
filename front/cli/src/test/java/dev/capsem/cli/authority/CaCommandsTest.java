package dev.capsem.cli.authority;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.CliHarness;
import dev.capsem.cli.CliHarness.Outcome;
import dev.capsem.wire.json.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class CaCommandsTest {
    private final CliHarness cli = new CliHarness();

    @TempDir
    private Path home = Path.of("replaced by JUnit");

    @BeforeEach
    void livesInItsOwnHome() {
        cli.environment.put("CAPSEM_HOME", home.toString());
    }

    private JsonNode shown() {
        return Json.parse(cli.run("ca", "show", "--json").out());
    }

    @Test
    void showsTheBuiltInOneAtFirst() throws GeneralSecurityException {
        Outcome outcome = cli.run("ca", "show");
        Outcome pem = cli.run("ca", "show", "--pem");

        assertThat(outcome.out()).contains("built-in").contains("CN=Capsem MITM CA");
        assertThat(pem.err()).contains("is public", "never import", "capsem ca generate");
        assertThat(shown().path("source").asString()).isEqualTo("built_in");
        X509Certificate certificate = (X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(pem.out().getBytes(StandardCharsets.US_ASCII)));
        assertThat(certificate.getBasicConstraints()).isNotNegative();
    }

    @Test
    void makesAPairThatOnlyItsOwnerReads() throws IOException {
        String before = shown().path("sha256").asString();

        Outcome made = cli.run("ca", "generate");

        Path key = home.resolve("ca/capsem-ca.key");
        assertThat(made.exitCode()).isZero();
        assertThat(made.err()).contains("sandboxes that run keep the old authority");
        assertThat(cli.run("ca", "show", "--pem").err()).isEmpty();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key.getParent())))
                .isEqualTo("rwx------");
        assertThat(made.out() + made.err()).doesNotContain("PRIVATE KEY");
        JsonNode after = shown();
        assertThat(after.path("source").asString()).isEqualTo("private");
        assertThat(after.path("sha256").asString()).isNotEqualTo(before).hasSize(64);
        assertThat(after.path("not_before").asString()).isEqualTo("2026-01-30T12:00:00Z");
        assertThat(cli.service.calls).isEmpty();
    }

    @Test
    void replacesAPairOnlyWhenToldTo() throws IOException {
        cli.run("ca", "generate");
        Path key = home.resolve("ca/capsem-ca.key");
        String first = Files.readString(key);

        Outcome refused = cli.run("ca", "generate");
        String kept = Files.readString(key);
        Outcome forced = cli.run("ca", "generate", "--force");

        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("--force");
        assertThat(kept).isEqualTo(first);
        assertThat(forced.exitCode()).isZero();
        assertThat(Files.readString(key)).isNotEqualTo(first);
    }

    @Test
    void saysWhatIsWrongWithADamagedPair() throws IOException {
        cli.run("ca", "generate");
        Files.writeString(home.resolve("ca/capsem-ca.crt"), "no certificate");

        Outcome outcome = cli.run("ca", "show");

        assertThat(outcome.exitCode()).isEqualTo(125);
        assertThat(outcome.err()).contains("capsem-ca.key").contains("--force");
    }
}
