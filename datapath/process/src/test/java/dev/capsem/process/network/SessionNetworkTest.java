package dev.capsem.process.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionNetworkTest {
    @TempDir
    private Path directory;

    @Test
    void aProfileThatCannotBeReadSaysNothing() {
        assertThat(SessionNetwork.of(directory)).isEqualTo(SessionNetwork.NONE);
    }

    @Test
    void anUpstreamProxyIsRefusedRatherThanPassedBy() {
        SessionNetwork proxied =
                new SessionNetwork(List.of(), List.of(), Optional.empty(), Optional.of("http://proxy.example:3128"));

        assertThatThrownBy(() -> proxied.engineSettings(directory))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("upstream_proxy");
    }

    @Test
    void authoritiesThatAreNoneAreRefused() throws IOException {
        Path file = Files.writeString(directory.resolve("ca.pem"), "-----BEGIN CERTIFICATE-----\nnonsense\n");
        SessionNetwork extra = new SessionNetwork(List.of(), List.of(), Optional.of(file), Optional.empty());

        assertThatThrownBy(() -> extra.engineSettings(directory)).isInstanceOf(IOException.class);
    }

    @Test
    void withoutAPairOfItsOwnAHomeHasTheBuiltInAuthority() throws IOException {
        assertThat(SessionNetwork.NONE
                        .engineSettings(directory)
                        .authority()
                        .certificate()
                        .getSubjectX500Principal()
                        .getName())
                .contains("Capsem MITM CA");
    }
}
