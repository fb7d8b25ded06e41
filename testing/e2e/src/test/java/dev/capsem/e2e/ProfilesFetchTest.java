package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import dev.capsem.testkit.http.HttpOrigin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A company publishes its profile on a web server; machines fetch it and believe only its key.
@Tag("e2e")
class ProfilesFetchTest {
    @Test
    void aSignedProfileIsFetchedAndPutInForce() throws IOException {
        try (Installation installation = Installation.start(Account.available().getLast())) {
            Path site = Files.createDirectories(installation.userDirectory().resolve("site"));
            try (HttpOrigin web = HttpOrigin.plain(exchange -> {
                Path file = site.resolve(exchange.path().substring(1));
                if (Files.exists(file)) {
                    exchange.reply(200, "text/plain", Files.readString(file));
                } else {
                    exchange.reply(404, "text/plain", "none\n");
                }
            })) {
                String url = "http://127.0.0.1:" + web.port() + "/acme.toml";
                installation.handOver(installation.userDirectory());
                assertThat(installation.capsem("profiles", "keygen", "acme").exitCode())
                        .isZero();
                assertThat(installation.capsem("profiles", "keygen", "other").exitCode())
                        .isZero();
                publish(installation, site, 1, "acme");
                installation.create("{\"name\":\"lab\",\"persistent\":true}");

                Outcome unknown = installation.capsem("profiles", "fetch", url);
                assertThat(unknown.exitCode()).isNotZero();
                assertThat(unknown.stderr()).contains("--key FILE");

                Outcome first = installation.capsem("profiles", "fetch", url, "--key", "acme.pub");
                assertThat(first.exitCode()).as(first.stderr()).isZero();
                assertThat(first.stdout()).contains("revision 1");
                assertThat(installation
                                .post("/exec/lab", "{\"command\":\"echo mark\",\"timeout_secs\":60}")
                                .status())
                        .as("the company's rule is in force")
                        .isNotEqualTo(200);

                publish(installation, site, 2, "other");
                Outcome foreign = installation.capsem("profiles", "fetch", url);
                assertThat(foreign.exitCode()).isNotZero();
                assertThat(foreign.stderr()).contains("a key that this machine does not trust");
                assertThat(Files.readString(installation.home().resolve("corp/acme.toml")))
                        .contains("revision = 1");

                assertThat(installation
                                .capsem("profiles", "fetch", "http://example.org/acme.toml")
                                .exitCode())
                        .as("in clear over the network")
                        .isEqualTo(2);
            }
        }
    }

    private static void publish(Installation installation, Path site, int revision, String key) throws IOException {
        Path file = site.resolve("acme.toml");
        Files.writeString(file, """
            schema = "capsem.profile.v2"
            id = "acme"
            revision = %d

            [security.rules.process.no_marks]
            on = "process.exec"
            if = 'process.exec.command.contains("mark")'
            decision = "block"
            priority = -10
            reason = "company policy"
            """.formatted(revision));
        installation.handOver(site);
        Outcome signed = installation.capsem("profiles", "sign", file.toString(), "--key", key + ".key");
        assertThat(signed.exitCode()).as(signed.stderr()).isZero();
    }
}
