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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The packet filter under real nftables: accepted by `nft -c`, and enforced between two network namespaces.
@Tag("sockets")
class NftablesE2eTest {
    @TempDir
    private Path directory = Path.of("/");

    static List<String> fixtures() {
        return FixtureManifests.names();
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void isAcceptedByNft(String fixture) throws IOException {
        String nft = RealProgram.require("nft");
        RealProgram.requireRoot();
        for (boolean hardened : List.of(false, true)) {
            EgressOptions options = EgressOptions.of(EgressKind.NFTABLES).permissive();
            String rules = Capgate.lowerToEgress(
                            FixtureManifests.compile(fixture).policy(), hardened ? options.harden() : options)
                    .config();
            Path file = Files.writeString(directory.resolve("rules"), rules + "\n");

            RealProgram.Outcome outcome =
                    RealProgram.run(List.of(RealProgram.require("unshare"), "-n", nft, "-c", "-f", file.toString()));

            assertThat(outcome.exit()).as(outcome.output()).isZero();
        }
    }

    @Test
    void dropsWhatIsNotDeclared() throws IOException, InterruptedException {
        String ip = RealProgram.require("ip");
        String nft = RealProgram.require("nft");
        RealProgram.requireRoot();
        String client = "cgc" + ProcessHandle.current().pid();
        String server = "cgs" + ProcessHandle.current().pid();
        String rules = Capgate.lowerToEgress(
                        Capgate.compile(Manifest.of("s", "1", Manifest.Tool.of("t", "net:connect:203.0.113.2:8080"))),
                        EgressOptions.of(EgressKind.NFTABLES))
                .config();
        Path file = Files.writeString(directory.resolve("rules"), rules + "\n");
        Process listening = null;
        try {
            must(ip, "netns", "add", client);
            must(ip, "netns", "add", server);
            must(ip, "link", "add", "cg0", "netns", client, "type", "veth", "peer", "name", "cg1", "netns", server);
            must(ip, "-n", client, "addr", "add", "203.0.113.1/24", "dev", "cg0");
            must(ip, "-n", server, "addr", "add", "203.0.113.2/24", "dev", "cg1");
            must(ip, "-n", client, "link", "set", "cg0", "up");
            must(ip, "-n", server, "link", "set", "cg1", "up");
            listening = listen(ip, server);
            assertThat(connect(ip, client, 8080)).isEqualTo("connected");
            assertThat(connect(ip, client, 9090)).isEqualTo("connected");

            must(ip, "netns", "exec", client, nft, "-f", file.toString());

            assertThat(connect(ip, client, 8080)).isEqualTo("connected");
            assertThat(connect(ip, client, 9090)).isEqualTo("refused");
        } finally {
            if (listening != null) {
                RealProgram.stop(listening);
            }
            RealProgram.run(List.of(ip, "netns", "del", client));
            RealProgram.run(List.of(ip, "netns", "del", server));
        }
    }

    private Process listen(String ip, String namespace) throws IOException, InterruptedException {
        Path log = directory.resolve("listen.out");
        Process process = RealProgram.start(probe(ip, namespace, "listen", "8080", "9090"), log);
        while (process.isAlive() && !Files.readString(log).contains("listening")) {
            Thread.sleep(50);
        }
        return process;
    }

    private static String connect(String ip, String namespace, int port) {
        return RealProgram.run(probe(ip, namespace, "connect", "203.0.113.2", Integer.toString(port)))
                .output()
                .strip();
    }

    private static List<String> probe(String ip, String namespace, String... args) {
        List<String> command = new ArrayList<>(List.of(ip, "netns", "exec", namespace));
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xshare:auto",
                "-cp",
                Path.of(NamespaceProbe.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .getPath())
                        .toString(),
                NamespaceProbe.class.getName()));
        command.addAll(List.of(args));
        return command;
    }

    private static void must(String... command) {
        RealProgram.Outcome outcome = RealProgram.run(List.of(command));
        assertThat(outcome.exit())
                .as(String.join(" ", command) + ": " + outcome.output())
                .isZero();
    }
}
