package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The official conformance suite against a server, directly and through relay, endpoint and aggregator: what passes
/// there passes here.
@Tag("e2e")
class McpConformanceTest {
    private static final Path SUITE = Path.of("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    private static final Path DIFFERENCES = Path.of("src/test/resources/conformance-differences.txt");
    private static final String POLLING = "server-sse-polling";
    private static final int CHECKS_MIN = 40;
    private static final int FOREIGN_CHECKS_MIN = 8;

    @TempDir
    Path directory;

    /// Ours has everything that the suite asks for; the other one is a server of npm, with its own ideas.
    @ParameterizedTest
    @ValueSource(strings = {"fixture", "everything"})
    void everyCheckThatPassesDirectlyPassesThroughUs(String name) throws IOException {
        assumeInstalled();
        boolean isOurs = name.equals("fixture");
        try (World world = new World();
                McpServers server = isOurs
                        ? McpServers.script(directory, "conformance_server.mjs", List.of(), Map.of())
                        : McpServers.start(directory);
                NetSandbox sandbox = NetSandbox.startUnder(
                        Account.available().getFirst(), world, McpServers.profile(world, name, server.port()));
                McpServers bridge = bridge(name, sandbox)) {
            sandbox.awaitServers(name);
            Map<String, Boolean> direct = checks(name, "direct", server.port());
            Map<String, Boolean> through = checks(name, "through", bridge.port());

            TreeSet<String> lost = new TreeSet<>();
            direct.forEach((check, passes) -> {
                if (passes && !through.getOrDefault(check, false)) {
                    lost.add(check);
                }
            });
            assertThat(direct.values().stream().filter(passes -> passes).count())
                    .isGreaterThanOrEqualTo(isOurs ? CHECKS_MIN : FOREIGN_CHECKS_MIN);
            assertThat(lost)
                    .as("checks that pass directly only; each is a line `check: reason` in %s", DIFFERENCES)
                    .containsExactlyElementsOf(differences(name));
            assertThat(sandbox.awaitRows(isOurs ? 10 : 1, "SELECT * FROM mcp_calls WHERE server_name = '" + name + "'"))
                    .filteredOn(row -> !row.text("decision").equals("error"))
                    .allSatisfy(row -> assertThat(row.text("policy_action")).isEqualTo("allow"));
        }
    }

    /// The default suite leaves this scenario out. Directly, the suite takes the stream up itself; through us the
    /// aggregator does, and the suite finds the answer where it waits for it.
    @Test
    void aStreamThatEndsInACallIsTakenUpAgain() throws IOException {
        assumeInstalled();
        try (World world = new World();
                McpServers server = McpServers.script(directory, "conformance_server.mjs", List.of(), Map.of());
                NetSandbox sandbox = NetSandbox.startUnder(
                        Account.available().getFirst(), world, McpServers.profile(world, "fixture", server.port()));
                McpServers bridge = bridge("fixture", sandbox)) {
            sandbox.awaitServers("fixture");
            List<JsonNode> direct = results("direct", server.port(), "--scenario", POLLING);
            assertThat(direct)
                    .filteredOn(check -> check.path("status").asString().equals("SUCCESS"))
                    .extracting(check -> check.path("id").asString())
                    .containsExactly(
                            "server-sse-priming-event", "server-sse-retry-field", "server-sse-disconnect-resume");
            long before = takenUp(server);

            List<JsonNode> through = results("through", bridge.port(), "--scenario", POLLING);

            assertThat(through)
                    .noneMatch(check -> check.path("status").asString().equals("FAILURE"))
                    .filteredOn(check -> check.path("id").asString().equals("stream-closed"))
                    .singleElement()
                    .satisfies(check -> assertThat(check.path("details")
                                    .path("receivedToolResponse")
                                    .asBoolean(false))
                            .isTrue());
            assertThat(takenUp(server)).isEqualTo(before + 1);
            assertThat(sandbox.awaitRows(1, "SELECT * FROM mcp_calls WHERE tool_name = 'fixture__test_reconnection'"))
                    .singleElement()
                    .satisfies(row -> assertThat(row.text("decision")).isEqualTo("allowed"));
        }
    }

    private static long takenUp(McpServers server) {
        return server.log().lines().filter("a stream is taken up again"::equals).count();
    }

    private static void assumeInstalled() {
        Assumptions.assumeTrue(
                Files.exists(NetClients.FOLDER.resolve(SUITE)),
                "skipped: the conformance suite is not installed; ./capsem setup --tests installs it");
    }

    private McpServers bridge(String name, NetSandbox sandbox) {
        return McpServers.script(
                directory,
                "conformance_bridge.mjs",
                List.of(
                        name,
                        sandbox.installation().dist().resolve("bin/capsem").toString(),
                        "exec",
                        sandbox.id(),
                        "--",
                        "capsem-mcp-server"),
                sandbox.installation().environment());
    }

    /// Which checks pass; one that runs more than once passes if it always does.
    private Map<String, Boolean> checks(String name, String way, int port) throws IOException {
        Map<String, Boolean> checks = new HashMap<>();
        for (JsonNode check : results(way, port)) {
            if (!check.path("status").asString().equals("INFO")) {
                boolean passes = check.path("status").asString().equals("SUCCESS");
                String title = check.path("scenario").asString();
                checks.merge(name + "/" + title + "/" + check.path("id").asString(), passes, Boolean::logicalAnd);
            }
        }
        return checks;
    }

    /// What the suite found, each with its scenario.
    private List<JsonNode> results(String way, int port, String... more) throws IOException {
        Path results = Files.createDirectory(directory.resolve(way));
        List<String> command = new ArrayList<>(List.of(
                NetClients.newestNode(),
                SUITE.toString(),
                "server",
                "--url",
                "http://127.0.0.1:" + port + "/mcp",
                "-o",
                results.toString()));
        command.addAll(List.of(more));
        Commands.run(command, Map.of(), NetClients.FOLDER, new byte[0]);
        List<JsonNode> checks = new ArrayList<>();
        try (Stream<Path> scenarios = Files.list(results)) {
            for (Path scenario : scenarios.toList()) {
                String title = scenario.getFileName().toString().replaceFirst("-\\d{4}-.*", "");
                for (JsonNode check : Installation.JSON.readTree(scenario.resolve("checks.json"))) {
                    checks.add(((ObjectNode) check).put("scenario", title));
                }
            }
        }
        return checks;
    }

    private static List<String> differences(String name) {
        try {
            List<String> checks = new ArrayList<>();
            for (String line : Files.readAllLines(DIFFERENCES)) {
                if (line.startsWith(name + "/")) {
                    checks.add(line.substring(0, line.indexOf(':')));
                }
            }
            return checks.stream().sorted().toList();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
