package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.capsem.e2e.Installation.Executed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/// Clients inside a sandbox really trust what Capsem signs: each makes a handshake with a server, inside the same
/// sandbox, whose certificate our authority signed. With the sandbox's environment, and where a client reads the
/// system's files, without it.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TrustTest {
    private static final Path CONFIG = Path.of("../../config").toAbsolutePath().normalize();
    private static final String URL = "https://localhost:8443/";
    private static final String BARE = "env -i PATH=\"$PATH\" HOME=/root ";

    @TempDir
    private static Path scratch;

    private final List<Installation> installations = new ArrayList<>();

    /// @param program what must be installed for it to run
    private record Client(String name, String program, String command) {}

    private static final List<Client> CLIENTS = List.of(
            new Client("curl", "curl", "curl -sS -o /dev/null " + URL),
            new Client("curl without environment", "curl", BARE + "curl -sS -o /dev/null " + URL),
            new Client("wget", "wget", "wget -q -O /dev/null " + URL),
            new Client("wget without environment", "wget", BARE + "wget -q -O /dev/null " + URL),
            new Client(
                    "python urllib",
                    "python3",
                    python("urllib.request", "urllib.request.urlopen('" + URL + "').read()")),
            new Client(
                    "python urllib without environment",
                    "python3",
                    BARE + python("urllib.request", "urllib.request.urlopen('" + URL + "').read()")),
            new Client(
                    "python requests",
                    "python3 -c 'import requests'",
                    python("requests", "requests.get('" + URL + "')")),
            new Client("python httpx", "python3 -c 'import httpx'", python("httpx", "httpx.get('" + URL + "')")),
            new Client("node fetch", "node", "node -e \"fetch('" + URL + "').then(r => r.text())\""),
            new Client(
                    "openssl",
                    "openssl",
                    "echo | openssl s_client -connect localhost:8443 -verify_return_error -brief"),
            new Client(
                    "openssl without environment",
                    "openssl",
                    "echo | " + BARE + "openssl s_client -connect localhost:8443 -verify_return_error -brief"),
            new Client("java", "java", "java /root/Fetch.java"),
            new Client("java without environment", "java", BARE + "java /root/Fetch.java"),
            new Client("login shell without environment", "curl", BARE + "bash -lc 'test -s \"$SSL_CERT_FILE\"'"));

    private static final String FETCH = """
            class Fetch {
                public static void main(String[] arguments) throws Exception {
                    new java.net.URL("%s").openStream().readAllBytes();
                }
            }
            """.formatted(URL);

    @TestFactory
    List<DynamicTest> clientsTrustWhatCapsemSigns() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        assumeThat(has("openssl")).as("openssl on this host").isTrue();
        for (Account account : Account.available()) {
            Installation installation = Installation.start(account);
            installations.add(installation);
            String sandbox = installation.create();
            serve(installation, sandbox);
            for (Client client : CLIENTS) {
                tests.add(dynamicTest(account + ": " + client.name(), () -> trusts(installation, sandbox, client)));
            }
            tests.add(dynamicTest(account + ": git", () -> gitGetsPastTheHandshake(installation, sandbox)));
            tests.add(dynamicTest(
                    account + ": a stranger's certificate is refused", () -> refusesStrangers(installation, sandbox)));
        }
        return tests;
    }

    @AfterAll
    void closeAll() {
        installations.forEach(Installation::close);
    }

    private static void trusts(Installation installation, String sandbox, Client client) {
        String probe = client.program().contains(" ") ? client.program() : "command -v " + client.program();
        assumeThat(installation.exec(sandbox, probe).exitCode())
                .as(client.program() + " inside the sandbox")
                .isZero();

        Executed executed = installation.exec(sandbox, client.command());

        assertThat(executed.exitCode())
                .as("%s%s", executed.stdout(), executed.stderr())
                .isZero();
    }

    /// The server is no repository, so git fails; but not over its certificate.
    private static void gitGetsPastTheHandshake(Installation installation, String sandbox) {
        assumeThat(installation.exec(sandbox, "command -v git").exitCode())
                .as("git inside the sandbox")
                .isZero();

        Executed executed = installation.exec(sandbox, "git ls-remote " + URL + "repository");

        assertThat(executed.stderr()).doesNotContainIgnoringCase("certificate").contains("repository");
    }

    private static void refusesStrangers(Installation installation, String sandbox) {
        Executed executed = installation.exec(
                sandbox,
                "cd /tmp && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout s.key"
                        + " -out s.crt -subj /CN=localhost -addext subjectAltName=DNS:localhost -days 2 2>/dev/null;"
                        + " nohup openssl s_server -accept 8444 -cert s.crt -key s.key -www >/dev/null 2>&1 &"
                        + " for i in $(seq 300); do openssl s_client -connect localhost:8444 </dev/null >/dev/null 2>&1 && break;"
                        + " sleep 0.1; done; curl -sS https://localhost:8444/");

        assertThat(executed.exitCode()).isEqualTo(60);
    }

    /// Signs a certificate for localhost with the committed authority and starts a server with it.
    private static void serve(Installation installation, String sandbox) throws IOException {
        host(
                "openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout leaf.key -out leaf.csr"
                        + " -subj /CN=localhost && printf 'subjectAltName=DNS:localhost\\nextendedKeyUsage=serverAuth\\n'"
                        + " > leaf.ext && openssl x509 -req -in leaf.csr -CA " + CONFIG + "/capsem-ca.crt -CAkey "
                        + CONFIG
                        + "/capsem-ca.key -set_serial 7 -days 2 -extfile leaf.ext -out leaf.crt && cat leaf.crt leaf.key > leaf.pem");
        put(installation, sandbox, "leaf.pem", Files.readAllBytes(scratch.resolve("leaf.pem")));
        put(installation, sandbox, "Fetch.java", FETCH.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        Executed started = installation.exec(
                sandbox,
                "nohup openssl s_server -accept 8443 -cert /root/leaf.pem -key /root/leaf.pem -www >/dev/null 2>&1 &"
                        + " for i in $(seq 300); do openssl s_client -connect localhost:8443 </dev/null >/dev/null 2>&1 && exit 0;"
                        + " sleep 0.1; done; exit 1");
        assertThat(started.exitCode()).as("the server inside the sandbox").isZero();
    }

    private static void put(Installation installation, String sandbox, String name, byte[] bytes) {
        String text = Base64.getEncoder().encodeToString(bytes);
        assertThat(installation
                        .exec(sandbox, "echo " + text + " | base64 -d > /root/" + name)
                        .exitCode())
                .isZero();
    }

    private static void host(String script) {
        Commands.Outcome outcome = Commands.run(List.of("sh", "-c", script), Map.of(), scratch, new byte[0]);
        assertThat(outcome.exitCode()).as("%s", outcome.stderr()).isZero();
    }

    private static boolean has(String program) {
        return Commands.run(List.of("sh", "-c", "command -v " + program), Map.of(), Path.of("/"), new byte[0])
                        .exitCode()
                == 0;
    }

    private static String python(String module, String statement) {
        return "python3 -c \"import " + module + "; " + statement + "\"";
    }
}
