package dev.capsem.profiles.io;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.capsem.profiles.grant.GrantSource;
import dev.capsem.profiles.grant.GrantValues.Fetched;
import dev.capsem.profiles.launch.SecretTool;
import dev.capsem.profiles.secret.Keyring;
import dev.capsem.profiles.secret.Secret;
import dev.capsem.profiles.secret.SecretName;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("sockets")
class HostGrantValuesTest {
    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

    @TempDir
    Path home;

    private SecretStore store;
    private HostGrantValues values;

    @BeforeEach
    void open() {
        store = new SecretStore(home.resolve("secrets.json"));
        values = new HostGrantValues(store, Keyring.NONE, Map.of("API_KEY", "from-env"), InstantSource.fixed(NOW));
    }

    @Test
    void findsAValueInTheStore() {
        GrantSource.Stored source = new GrantSource.Stored(new SecretName("api-key"));

        assertThat(missing(source)).contains("capsem secret set api-key");
        store.set(new SecretName("api-key"), new Secret("from-store"));
        assertThat(value(source)).isEqualTo("from-store");
    }

    @Test
    void findsAValueInTheEnvironmentOfTheService() {
        assertThat(value(new GrantSource.Variable("API_KEY"))).isEqualTo("from-env");
        assertThat(missing(new GrantSource.Variable("OTHER"))).contains("OTHER", "capsem service restart");
    }

    @Test
    void findsAValueInAFileAsItIsNow() throws IOException {
        Path file = Files.writeString(home.resolve("key"), "from-file\n");
        GrantSource.HostFile source = new GrantSource.HostFile(file.toString());

        assertThat(value(source)).isEqualTo("from-file");
        Files.writeString(file, "newer\n");
        assertThat(value(source)).isEqualTo("newer");
        Files.delete(file);
        assertThat(missing(source)).contains("cannot be read");
    }

    @Test
    void findsATextOfAJsonFileWithItsExpiry() throws IOException {
        Path file = Files.writeString(
                home.resolve("login.json"),
                "{\"a/b\": {\"token\": \"from-json\", \"until\": 1772362800000, \"at\": \"2026-03-01T11:00:00Z\", \"n\": 1}}");
        Instant until = Instant.parse("2026-03-01T11:00:00Z");

        assertThat(values.fetch(json(file, "/a~1b/token", Optional.of("/a~1b/until"))))
                .isEqualTo(new Fetched.Value(new Secret("from-json"), Optional.of(until)));
        assertThat(values.fetch(json(file, "/a~1b/token", Optional.of("/a~1b/at"))))
                .isEqualTo(new Fetched.Value(new Secret("from-json"), Optional.of(until)));
        assertThat(value(json(file, "/a~1b/token", Optional.of("/none")))).isEqualTo("from-json");
        assertThat(missing(json(file, "/a~1b/n", Optional.empty()))).contains("nothing at /a~1b/n");
        assertThat(missing(json(file, "/none/token", Optional.empty()))).doesNotContain("from-json");
        Files.writeString(file, "from-json");
        assertThat(missing(json(file, "/a", Optional.empty())))
                .contains("is not JSON")
                .doesNotContain("from-json");
    }

    private static GrantSource.JsonFile json(Path file, String pointer, Optional<String> expires) {
        return new GrantSource.JsonFile(file.toString(), pointer, expires);
    }

    @Test
    void takesWhatAProgramPrints() {
        assertThat(value(shell("printf 'from-program\\n'"))).isEqualTo("from-program");
        assertThat(value(shell("echo '{\"other\": 1}'"))).isEqualTo("{\"other\": 1}");
    }

    @Test
    void takesAValueWithItsExpiry() {
        assertThat(values.fetch(shell("echo '{\"value\": \"v1\", \"expires\": \"2026-03-01T11:00:00Z\"}'")))
                .isEqualTo(new Fetched.Value(new Secret("v1"), Optional.of(Instant.parse("2026-03-01T11:00:00Z"))));
        assertThat(missing(shell("echo '{\"value\": \"v1\", \"expires\": \"soon\"}'")))
                .contains("no time")
                .doesNotContain("v1");
    }

    @Test
    void aProgramThatFailsGivesNothingAway() {
        assertThat(missing(shell("echo half-a-key; echo other >&2; exit 3")))
                .contains("exit code 3")
                .doesNotContain("half-a-key")
                .doesNotContain("other");
        assertThat(missing(new GrantSource.Program(List.of("/no/such/program"))))
                .contains("cannot be started");
        assertThat(missing(shell("true"))).contains("printed nothing");
    }

    @Test
    void fetchesATokenForAClientsOwnCredentials() throws IOException {
        AtomicReference<String> asked = new AtomicReference<>("");
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            asked.set(exchange.getRequestMethod() + " "
                    + exchange.getRequestHeaders().getFirst("Authorization") + " "
                    + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            String path = exchange.getRequestURI().getPath();
            byte[] body = (path.equals("/empty")
                            ? "{\"token_type\": \"bearer\"}"
                            : "{\"access_token\": \"fresh-token\", \"expires_in\": 600}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(path.equals("/denied") ? 401 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            String url = "http://127.0.0.1:" + server.getAddress().getPort();
            GrantSource secret = new GrantSource.Variable("API_KEY");
            Optional<String> scope = Optional.of("read write");

            assertThat(values.fetch(
                            new GrantSource.ClientCredentials(URI.create(url + "/token"), "my lab", secret, scope)))
                    .isEqualTo(new Fetched.Value(new Secret("fresh-token"), Optional.of(NOW.plusSeconds(600))));
            assertThat(asked.get())
                    .isEqualTo("POST Basic "
                            + Base64.getEncoder().encodeToString("my+lab:from-env".getBytes(StandardCharsets.UTF_8))
                            + " grant_type=client_credentials&scope=read+write");
            assertThat(missing(new GrantSource.ClientCredentials(
                            URI.create(url + "/denied"), "lab", secret, Optional.empty())))
                    .contains("status 401")
                    .doesNotContain("from-env");
            assertThat(missing(new GrantSource.ClientCredentials(
                            URI.create(url + "/empty"), "lab", secret, Optional.empty())))
                    .contains("without a token");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void readsAFieldOfAVault() throws IOException {
        AtomicReference<String> token = new AtomicReference<>("");
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/", exchange -> {
            token.set(String.valueOf(exchange.getRequestHeaders().getFirst("X-Vault-Token")));
            String path = exchange.getRequestURI().getPath();
            String answer = path.equals("/v1/secret/data/ci")
                    ? "{\"data\": {\"data\": {\"token\": \"second\"}, \"metadata\": {}}, \"lease_duration\": 0}"
                    : "{\"data\": {\"token\": \"first\"}, \"lease_duration\": 600}";
            byte[] body = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(path.endsWith("/denied") ? 403 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
            GrantSource secret = new GrantSource.Variable("API_KEY");

            assertThat(value(new GrantSource.Vault(url, "secret/data/ci", "token", secret)))
                    .isEqualTo("second");
            assertThat(token).hasValue("from-env");
            assertThat(values.fetch(new GrantSource.Vault(url, "kv/ci", "token", secret)))
                    .isEqualTo(new Fetched.Value(new Secret("first"), Optional.of(NOW.plusSeconds(540))));
            assertThat(missing(new GrantSource.Vault(url, "kv/ci", "other", secret)))
                    .contains("no text other")
                    .doesNotContain("first");
            assertThat(missing(new GrantSource.Vault(url, "kv/denied", "token", secret)))
                    .contains("status 403");
        } finally {
            server.stop(0);
        }
        assertThat(missing(new GrantSource.Vault(
                        URI.create("http://127.0.0.1:" + server.getAddress().getPort()),
                        "a",
                        "b",
                        new GrantSource.Variable("API_KEY"))))
                .contains("did not answer");
    }

    /// As secret-tool takes its arguments and its input; the real one wants a session bus.
    @Test
    void keepsAndFindsThroughSecretTool() throws IOException {
        Path tool = Files.writeString(home.resolve("secret-tool"), """
                #!/bin/sh
                case $1 in
                store) cat > "$(dirname "$0")/kept-$4-$6" ;;
                lookup) cat "$(dirname "$0")/kept-$3-$5" ;;
                clear) rm "$(dirname "$0")/kept-$3-$5" ;;
                esac
                """);
        Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwx------"));
        Keyring keyring = new SecretTool(tool.toString());
        values = new HostGrantValues(store, keyring, Map.of(), InstantSource.fixed(NOW));
        GrantSource.KeyringEntry source = new GrantSource.KeyringEntry("git.example.com", "me");

        assertThat(missing(source)).contains("git.example.com");
        assertThat(keyring.keep("git.example.com", "me", new Secret("from-keyring")))
                .isTrue();
        assertThat(value(source)).isEqualTo("from-keyring");
        keyring.forget("git.example.com", "me");
        assertThat(missing(source)).contains("does not open");
        assertThat(new SecretTool("/no/such/tool").keep("a", "b", new Secret("c")))
                .isFalse();
    }

    private static GrantSource.Program shell(String script) {
        return new GrantSource.Program(List.of("/bin/sh", "-c", script));
    }

    private String value(GrantSource source) {
        assertThat(values.fetch(source)).isInstanceOf(Fetched.Value.class);
        return ((Fetched.Value) values.fetch(source)).secret().reveal();
    }

    private String missing(GrantSource source) {
        assertThat(values.fetch(source)).isInstanceOf(Fetched.Missing.class);
        return ((Fetched.Missing) values.fetch(source)).reason();
    }
}
