package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.testkit.LocalPort;
import dev.capsem.testkit.tls.OriginCertificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// OpenSSL's own server asks who calls: the host that the profile names is told, and nobody else.
@Tag("e2e")
class NetClientCertificateTest {
    private static final String KNOWN = "known.example.test";
    private static final String OTHER = "other.example.test";

    @Test
    void theProfilesCertificateIsShownToItsHostAlone() throws IOException {
        try (World world = new World()) {
            OriginCertificate caller = world.upstreams().authority().issue("caller.example.test");
            Path both = world.upstreams().directory("caller").resolve("caller.pem");
            Files.writeString(both, Files.readString(caller.chain()) + Files.readString(caller.key()));
            world.networkSettings("[network.client_certificates]\n\"" + KNOWN + "\" = \"" + both + "\"\n");
            List.of(KNOWN, OTHER).forEach(host -> world.upstreams().dns().address(host, "127.0.0.1"));
            int port = LocalPort.free();
            Process server = server(world, port);
            try (NetSandbox sandbox = NetSandbox.start(Account.available().getFirst(), world, "")) {
                assertThat(sandbox.exec("curl -sS https://" + KNOWN + ":" + port + "/")
                                .stdout())
                        .contains("caller.example.test");
                assertThat(sandbox.exec("curl -sS https://" + OTHER + ":" + port + "/")
                                .stdout())
                        .contains("client certificate")
                        .doesNotContain("caller.example.test");
                assertThat(sandbox.awaitRow("SELECT * FROM net_events WHERE domain = ?", OTHER)
                                .text("policy_reason"))
                        .contains("client certificate");
                assertThat(sandbox.everything()).doesNotContain("PRIVATE KEY", secretPart(caller));
            } finally {
                server.destroyForcibly();
            }
        }
    }

    private static Process server(World world, int port) throws IOException {
        OriginCertificate certificate = world.upstreams().authority().issue(KNOWN, OTHER);
        Path log = world.upstreams().directory("server").resolve("output.log");
        Process server = new ProcessBuilder(
                        "openssl",
                        "s_server",
                        "-accept",
                        "127.0.0.1:" + port,
                        "-cert",
                        certificate.chain().toString(),
                        "-key",
                        certificate.key().toString(),
                        "-Verify",
                        "1",
                        "-www")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        LocalPort.await(port, server, log);
        return server;
    }

    private static String secretPart(OriginCertificate caller) throws IOException {
        return Files.readAllLines(caller.key()).get(1);
    }
}
