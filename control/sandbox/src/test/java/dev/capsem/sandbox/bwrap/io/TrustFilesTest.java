package dev.capsem.sandbox.bwrap.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.sandbox.trust.AuthorityCertificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrustFilesTest {
    private static final AuthorityCertificate AUTHORITY = AuthorityCertificate.builtIn();

    @TempDir
    private Path directory;

    @Test
    void putsTheAuthorityWhereClientsLook() throws IOException {
        Path template = template();
        Files.writeString(template.resolve("etc/ssl/certs/ca-certificates.crt"), "roots\n");

        TrustFiles.write(template, AUTHORITY);

        assertThat(template.resolve("etc/ssl/certs/ca-certificates.crt")).hasContent("roots\n" + AUTHORITY.pem());
        assertThat(template.resolve("etc/capsem/ca-certificates.crt")).hasContent("roots\n" + AUTHORITY.pem());
        assertThat(template.resolve("etc/capsem/ca.crt")).hasContent(AUTHORITY.pem());
        assertThat(template.resolve("etc/ssl/certs/5d405afc.0")).hasContent(AUTHORITY.pem());
        assertThat(template.resolve("usr-local/share/ca-certificates/capsem-ca.crt"))
                .exists();
        assertThat(template.resolve("etc/capsem/truststore.p12")).isNotEmptyFile();
        assertThat(template.resolve("etc/profile.d/capsem.sh")).exists();
    }

    @Test
    void followsNoLinkOfTheTemplate() throws IOException {
        Path template = template();
        Path host = Files.writeString(directory.resolve("host-bundle"), "of the host");
        Path hostEtc = Files.createDirectory(directory.resolve("host-etc"));
        Files.createSymbolicLink(template.resolve("etc/ssl/certs/ca-certificates.crt"), host);
        Files.createSymbolicLink(template.resolve("etc/capsem"), hostEtc);
        Files.createSymbolicLink(template.resolve("etc/pki"), hostEtc);

        TrustFiles.write(template, AUTHORITY);

        assertThat(host).hasContent("of the host");
        assertThat(hostEtc).isEmptyDirectory();
    }

    @Test
    void aPrivateAuthorityComesBeforeTheBuiltInOne() throws IOException {
        Path file = directory.resolve("capsem-ca.crt");

        assertThat(TrustFiles.authority(file)).isEqualTo(AUTHORITY);
        Files.writeString(file, "nonsense");
        assertThatThrownBy(() -> TrustFiles.authority(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("capsem-ca.crt");
    }

    private Path template() throws IOException {
        Path template = directory.resolve("template");
        Files.createDirectories(template.resolve("etc/ssl/certs"));
        Files.createDirectories(template.resolve("usr-local"));
        return template;
    }
}
