package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;

/// mitos-mcp against our own sandbox-server API, over the gateway, with a token.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MitosMcpTest {
    private Installation installation;
    private String token;
    private String server;

    @BeforeAll
    void start() throws IOException {
        installation = Installation.start(Account.available().getFirst());
        assertThat(installation.capsem("gateway", "on", "--port", "0").exitCode())
                .isZero();
        Outcome made = installation.capsem("token", "create", "--scope", "read,execute,lifecycle", "--json");
        token = Installation.JSON.readTree(made.stdoutBytes()).path("token").asString();
        String port = Files.readString(installation.home().resolve("run/gateway.port"))
                .strip();
        server = "http://127.0.0.1:" + port;
    }

    @AfterAll
    void stop() {
        installation.close();
    }

    @Test
    void theOfficialSdkDrivesTheWholeFlow() throws IOException {
        boolean isThere = Files.isDirectory(NetClients.FOLDER.resolve("node_modules/@modelcontextprotocol/sdk"));
        Assumptions.assumeTrue(isThere, "skipped: npm:@modelcontextprotocol/sdk is missing");

        Outcome run = Commands.run(
                List.of(
                        NetClients.node(),
                        "scripts/mitos_mcp.mjs",
                        installation.program("mitos-mcp").toString(),
                        "coding"),
                environment(),
                NetClients.FOLDER,
                new byte[0]);

        JsonNode report =
                Installation.JSON.readTree(run.stdout().lines().toList().getLast());
        assertThat(report.path("wrong")).as("%s", run.stderr()).isEmpty();
        assertThat(run.stderr()).contains("token=set").doesNotContain(token);
        assertThat(run.stdout()).doesNotContain(token);
        try (Stream<Path> files = Files.walk(installation.home().resolve("run"))) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".log")).toList()) {
                assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
                        .as("%s", file)
                        .doesNotContain(token, "wrong-token-000");
            }
        }
    }

    /// The other scenarios of the suite need fixtures: tools, resources and prompts of its own invention.
    @Test
    void theOfficialSuiteFindsTheHttpTransportInOrder() throws Exception {
        Path suite = NetClients.FOLDER.resolve("node_modules/@modelcontextprotocol/conformance");
        Assumptions.assumeTrue(Files.isDirectory(suite), "skipped: npm:@modelcontextprotocol/conformance is missing");
        var builder = new ProcessBuilder(
                installation.program("mitos-mcp").toString(), "--transport", "http", "--port", "0", "--open");
        builder.environment().putAll(environment());
        Process serving = builder.start();
        try (BufferedReader stderr =
                new BufferedReader(new InputStreamReader(serving.getErrorStream(), StandardCharsets.UTF_8))) {
            String line = stderr.readLine();
            while (!line.contains("listening at ")) {
                line = stderr.readLine();
            }
            String address = line.substring(line.indexOf("http"));

            Outcome run = Commands.run(
                    List.of(
                            NetClients.newestNode(),
                            NetClients.FOLDER
                                    .resolve("node_modules/.bin/conformance")
                                    .toString(),
                            "server",
                            "--url",
                            address),
                    environment(),
                    installation.userDirectory(),
                    new byte[0]);

            List<String> passed = run.stdout()
                    .lines()
                    .filter(text -> text.startsWith("✓ "))
                    .map(text -> text.substring(2, text.indexOf(':')))
                    .toList();
            assertThat(passed)
                    .as("%s", run.stdout())
                    .contains(
                            "server-initialize",
                            "ping",
                            "tools-list",
                            "tools-call-error",
                            "server-sse-multiple-streams",
                            "resources-list",
                            "prompts-list",
                            "dns-rebinding-protection");
        } finally {
            serving.destroy();
        }
    }

    @Test
    void helpAndMistakesNeverShowTheToken() {
        for (List<String> words : List.of(List.of("--help"), List.of("--no-such"), List.of("--port", "x"))) {
            List<String> argv = Stream.concat(
                            Stream.of(installation.program("mitos-mcp").toString()), words.stream())
                    .toList();
            Outcome run = Commands.run(argv, environment(), installation.userDirectory(), new byte[0]);
            assertThat(run.stdout() + run.stderr()).isNotEmpty().doesNotContain(token);
        }
    }

    private Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>(installation.environment());
        environment.put("MITOS_BASE_URL", server);
        environment.put("MITOS_API_KEY", token);
        return environment;
    }
}
