package dev.capsem.e2e;

import static dev.capsem.e2e.McpTalk.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.testkit.http.HttpOrigin;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/// Servers that are programs reach what their capabilities name, by its name and without knowing of any proxy, and
/// nothing else; the profile's extra authorities count for them.
@Tag("e2e")
class McpProgramsTest {
    private static final String FETCHING = "fetching_server.mjs";
    private static final String PROBING = "probing_server.py";

    /// A copy that every account can read, wherever the repository lies.
    private static Path scripts;

    @BeforeAll
    static void copyScripts() throws IOException {
        scripts = Files.createTempDirectory(
                Path.of("/tmp"),
                "cse2e-scripts",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        for (String name : List.of(FETCHING, PROBING)) {
            Files.copy(NetClients.FOLDER.resolve("scripts").resolve(name), scripts.resolve(name));
        }
    }

    @AfterAll
    static void removeScripts() throws IOException {
        for (String name : List.of(FETCHING, PROBING)) {
            Files.delete(scripts.resolve(name));
        }
        Files.delete(scripts);
    }

    @ParameterizedTest
    @MethodSource("dev.capsem.e2e.Account#available")
    void programsReachWhatTheyWereGrantedByNameAndNothingElse(Account account) {
        try (World world = new World();
                CompanyProxy proxy = new CompanyProxy()) {
            HttpOrigin far = world.originUnknownToTheHost("far");
            world.networkSettings("""
                    upstream_proxy = "http://127.0.0.1:%d"
                    upstream_proxy_credentials = "${secret:proxy}"
                    """.formatted(proxy.port()));
            try (NetSandbox sandbox = NetSandbox.startUnder(account, world, profile(world, far.port()), scripts)) {
                provideSecret(sandbox.installation());
                sandbox.awaitServers("near");
                String granted = "{\"url\":\"https://far.example.test:%d/text\"}".formatted(far.port());
                String other = "{\"url\":\"https://web.example.test:%d/text\"}"
                        .formatted(world.web().port());

                McpTalk talk = McpTalk.speak(
                        sandbox,
                        call(1, "near__fetch", granted),
                        call(2, "near__urllib", granted),
                        call(3, "near__fetch", other),
                        call(4, "near__fetch", "{\"url\":\"http://192.0.2.9:81/\"}"));

                assertThat(talk.text(1)).isEqualTo(World.TEXT);
                assertThat(talk.text(2)).isEqualTo(World.TEXT);
                assertThat(talk.text(3)).startsWith("failed: ");
                assertThat(talk.text(4)).startsWith("failed: ");
                assertThat(far.received()).hasSize(2);
                assertThat(world.web().received()).isEmpty();
                assertThat(proxy.tunnels()).containsOnly("far.example.test:" + far.port());
                assertThat(
                                sandbox.awaitRows(
                                        2,
                                        "SELECT message FROM security_event_steps WHERE pack_id = 'mcp_egress' ORDER BY message"))
                        .extracting(row -> row.text("message"))
                        .containsExactlyInAnyOrder(
                                "near may not connect to web.example.test:"
                                        + world.web().port(),
                                "near may not connect to 192.0.2.9:81");
            }
        }
    }

    /// One program has no network; the other's is set up by our proxy, which hands it the filter.
    @ParameterizedTest
    @MethodSource("dev.capsem.e2e.Account#available")
    void theKernelGivesProgramsNoMoreThanItGivesAGuest(Account account) {
        try (World world = new World();
                NetSandbox sandbox = NetSandbox.startUnder(account, world, probes(world), scripts)) {
            sandbox.awaitServers("alone", "online");
            McpTalk talk = McpTalk.speak(sandbox, call(1, "alone__kernel", "{}"), call(2, "online__kernel", "{}"));

            assertSealed(Json.parse(talk.text(1)));
            assertSealed(Json.parse(talk.text(2)));
        }
    }

    private static void assertSealed(JsonNode answers) {
        assertThat(answers.path("filter").asString()).isEqualTo("2");
        assertThat(answers.path("filters of all").asString())
                .as("a program may write to the memory of whoever runs beside it")
                .isEqualTo("2");
        assertThat(answers.path("new privileges").asString()).isEqualTo("1");
        for (String refused : List.of(
                "session keyring",
                "search of keys",
                "a new key",
                "user namespace",
                "network namespace",
                "mount",
                "io_uring",
                "userfaultfd",
                "bpf",
                "vsock",
                "raw",
                "packets",
                "alg",
                "netfilter")) {
            assertThat(answers.path(refused).asString()).as("%s", refused).isEqualTo("EPERM");
        }
        assertThat(answers.path("user namespace by clone3").asString()).isEqualTo("ENOSYS");
        for (String given : List.of("unix", "inet", "inet6")) {
            assertThat(answers.path(given).asString()).as("%s", given).isEqualTo("done");
        }
        for (String masked : List.of("/proc/keys", "/proc/key-users", "/proc/cmdline", "/proc/timer_list")) {
            assertThat(answers.path(masked).asString()).as("%s", masked).isIn("nothing", "EACCES", "ENOENT", "EPERM");
        }
        assertThat(answers.path("/proc/bus").asString()).isEqualTo("[]");
        assertThat(answers.path("sysctl").asString()).isIn("EROFS", "EACCES");
    }

    private static String probes(World world) {
        return McpServers.alone(world, """
                [mcpServers.alone]
                command = "/usr/bin/python3"
                args = ["%1$s/%2$s"]
                [mcpServers.alone.capsem]
                capabilities = ["fs:read:%1$s/**"]

                [mcpServers.online]
                command = "/usr/bin/python3"
                args = ["%1$s/%2$s"]
                [mcpServers.online.capsem]
                capabilities = ["fs:read:%1$s/**", "net:connect:far.example.test:443"]
                """.formatted(scripts, PROBING));
    }

    private static void provideSecret(Installation installation) {
        assertThat(installation
                        .capsem(
                                (CompanyProxy.CREDENTIALS + "\n").getBytes(StandardCharsets.UTF_8),
                                installation.userDirectory(),
                                "secret",
                                "set",
                                "proxy")
                        .exitCode())
                .isZero();
        assertThat(installation.capsem("reload").exitCode()).isZero();
    }

    private static String profile(World world, int port) {
        return McpServers.alone(world, """
                [mcpServers.near]
                command = "/usr/bin/node"
                args = ["%s"]
                [mcpServers.near.capsem]
                capabilities = ["fs:read:%s/**", "net:connect:far.example.test:%d"]

                [security.rules.http.far]
                on = "http.request"
                if = 'http.request.host == "far.example.test"'
                decision = "allow"
                priority = 100
                """.formatted(scripts.resolve(FETCHING), scripts, port));
    }
}
