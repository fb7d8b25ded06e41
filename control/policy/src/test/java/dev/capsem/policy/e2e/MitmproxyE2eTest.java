package dev.capsem.policy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.policy.Capgate;
import dev.capsem.policy.egress.EgressKind;
import dev.capsem.policy.egress.EgressOptions;
import dev.capsem.policy.manifest.Manifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The add-on in real mitmproxy.
@Tag("sockets")
class MitmproxyE2eTest {
    @TempDir
    private Path directory = Path.of("/");

    private static String get(String host, int port) {
        return "GET http://" + host + ":" + port + "/ HTTP/1.1\r\nHost: " + host + ":" + port + "\r\n\r\n";
    }

    @Test
    void letsTheDeclaredHostThroughAndNothingElse() throws IOException, InterruptedException {
        try (LoopbackServer server = new LoopbackServer();
                LoopbackServer other = new LoopbackServer()) {
            int port = LoopbackServer.freePort();
            Process proxy = start(port, "net:connect:localhost:" + server.port());
            try {
                assertThat(LoopbackServer.ask(port, get("localhost", server.port())))
                        .contains(" 200 ");
                assertThat(LoopbackServer.ask(port, get("localhost", other.port())))
                        .contains(" 403 ");
                assertThat(LoopbackServer.ask(port, get("127.0.0.1", other.port())))
                        .contains(" 403 ");
                assertThat(LoopbackServer.connect(port, "evil.example:443")).contains(" 403 ");
                assertThat(server.connections()).isEqualTo(1);
                assertThat(other.connections()).isZero();
            } finally {
                RealProgram.stop(proxy);
            }
        }
    }

    @Test
    void keepsPrivateAddressesClosedUnderAStar() throws IOException, InterruptedException {
        try (LoopbackServer server = new LoopbackServer()) {
            int port = LoopbackServer.freePort();
            Process proxy = start(port, "net:connect:*");
            try {
                assertThat(LoopbackServer.ask(port, get("localhost", server.port())))
                        .contains(" 502 ");
                assertThat(server.connections()).isZero();
            } finally {
                RealProgram.stop(proxy);
            }
        }
    }

    private Process start(int port, String capability) throws IOException, InterruptedException {
        String mitmdump = RealProgram.require("mitmdump");
        String addon = Capgate.lowerToEgress(
                        Capgate.compile(Manifest.of("s", "1", Manifest.Tool.of("t", capability))),
                        EgressOptions.of(EgressKind.MITMPROXY))
                .config();
        Path file = Files.writeString(directory.resolve("addon.py"), addon);
        Process process = RealProgram.start(
                List.of(
                        mitmdump,
                        "-s",
                        file.toString(),
                        "--listen-host",
                        "127.0.0.1",
                        "-p",
                        Integer.toString(port),
                        "--set",
                        "confdir=" + directory.resolve("conf"),
                        "--set",
                        "connection_strategy=lazy"),
                directory.resolve("mitm.out"));
        LoopbackServer.await(port, process);
        return process;
    }
}
