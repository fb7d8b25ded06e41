package dev.capsem.policy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.policy.Capgate;
import dev.capsem.policy.FixtureManifests;
import dev.capsem.policy.egress.EgressKind;
import dev.capsem.policy.egress.EgressOptions;
import dev.capsem.policy.manifest.Manifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The access list under real Squid: accepted by its parser, and enforced on loopback.
@Tag("sockets")
class SquidE2eTest {
    @TempDir
    private Path directory = Path.of("/");

    static List<String> fixtures() {
        return FixtureManifests.names();
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void isAcceptedByTheParser(String fixture) throws IOException {
        String squid = RealProgram.require("squid");
        String access = Capgate.lowerToEgress(
                        FixtureManifests.compile(fixture).policy(),
                        EgressOptions.of(EgressKind.SQUID).permissive())
                .config();
        Path config = write(access, 3128);

        RealProgram.Outcome outcome = RealProgram.run(List.of(squid, "-k", "parse", "-f", config.toString()));

        assertThat(outcome.exit()).as(outcome.output()).isZero();
        assertThat(outcome.output()).doesNotContain("FATAL", "ERROR", "WARNING");
    }

    @Test
    void letsTheDeclaredHostAndPortThroughAndNothingElse() throws IOException, InterruptedException {
        try (LoopbackServer server = new LoopbackServer();
                LoopbackServer other = new LoopbackServer()) {
            Proxy proxy = start(EgressOptions.of(EgressKind.SQUID), "net:connect:localhost:" + server.port());
            try {
                assertThat(LoopbackServer.connect(proxy.port(), "localhost:" + server.port()))
                        .contains(" 200 ");
                assertThat(LoopbackServer.connect(proxy.port(), "localhost:" + other.port()))
                        .contains(" 403 ");
                assertThat(LoopbackServer.connect(proxy.port(), "evil.example:" + server.port()))
                        .contains(" 403 ");
                assertThat(LoopbackServer.ask(
                                proxy.port(),
                                "GET http://localhost:" + server.port() + "/ HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                        .contains(" 403 ");
                assertThat(other.connections()).isZero();
            } finally {
                RealProgram.stop(proxy.process());
            }
        }
    }

    @Test
    void keepsPrivateAddressesClosedUnderAStar() throws IOException, InterruptedException {
        try (LoopbackServer server = new LoopbackServer()) {
            Proxy proxy = start(EgressOptions.of(EgressKind.SQUID), "net:connect:*");
            try {
                assertThat(LoopbackServer.connect(proxy.port(), "localhost:" + server.port()))
                        .contains(" 403 ");
                assertThat(LoopbackServer.connect(proxy.port(), "127.0.0.1:" + server.port()))
                        .contains(" 403 ");
                assertThat(server.connections()).isZero();
            } finally {
                RealProgram.stop(proxy.process());
            }
        }
    }

    @Test
    void doesNotTrustReverseNamesWhenHardened() throws IOException, InterruptedException {
        try (LoopbackServer server = new LoopbackServer()) {
            Proxy proxy = start(EgressOptions.of(EgressKind.SQUID).harden(), "net:connect:localhost:" + server.port());
            try {
                assertThat(LoopbackServer.connect(proxy.port(), "127.0.0.1:" + server.port()))
                        .contains(" 403 ");
                assertThat(server.connections()).isZero();
            } finally {
                RealProgram.stop(proxy.process());
            }
        }
    }

    private record Proxy(Process process, int port) {}

    private Proxy start(EgressOptions options, String capability) throws IOException, InterruptedException {
        String squid = RealProgram.require("squid");
        String access = Capgate.lowerToEgress(
                        Capgate.compile(Manifest.of("s", "1", Manifest.Tool.of("t", capability))), options)
                .config();
        int port = LoopbackServer.freePort();
        Path config = write(access, port);
        Process process =
                RealProgram.start(List.of(squid, "-N", "-f", config.toString()), directory.resolve("squid.out"));
        LoopbackServer.await(port, process);
        return new Proxy(process, port);
    }

    /// The artifact is an include; this is the smallest configuration around it.
    private Path write(String access, int port) throws IOException {
        // Squid started by root works as its own user and must reach its files.
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path include = Files.writeString(directory.resolve("access.conf"), access + "\n");
        return Files.writeString(directory.resolve("squid.conf"), """
                include %s
                http_port 127.0.0.1:%d
                pid_filename none
                access_log none
                cache_log /dev/null
                cache deny all
                coredump_dir %s
                shutdown_lifetime 0 seconds
                visible_hostname capgate-test
                pinger_enable off
                """.formatted(include, port, directory));
    }
}
