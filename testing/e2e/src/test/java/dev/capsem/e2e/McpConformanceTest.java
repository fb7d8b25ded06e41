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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/// The official conformance suite against a server, directly and through relay, endpoint and aggregator: what passes
/// there passes here.
@Tag("e2e")
class McpConformanceTest {
    private static final Path SUITE = Path.of("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    private static final Path DIFFERENCES = Path.of("src/test/resources/conformance-differences.txt");
    private static final int CHECKS_MIN = 40;
    private static final int FOREIGN_CHECKS_MIN = 8;

    @TempDir
    Path directory;

    /// Ours has everything that the suite asks for; the other one is a server of npm, with its own ideas.
    @ParameterizedTest
    @ValueSource(strings = {"fixture", "everything"})
    void everyCheckThatPassesDirectlyPassesThroughUs(String name) throws IOException {
        Assumptions.assumeTrue(
                Files.exists(NetClients.FOLDER.resolve(SUITE)),
                "skipped: the conformance suite is not installed; ./capsem setup --tests installs it");
        boolean isOurs = name.equals("fixture");
        try (World world = new World();
                McpServers server = isOurs
                        ? McpServers.script(directory, "conformance_server.mjs", List.of(), Map.of())
                        : McpServers.start(directory);
                NetSandbox sandbox = NetSandbox.startUnder(
                        Account.available().getFirst(), world, McpServers.profile(world, name, server.port()));
                McpServers bridge = bridge(name, sandbox)) {
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
        Path results = Files.createDirectory(directory.resolve(way));
        Commands.run(
                List.of(
                        NetClients.newestNode(),
                        SUITE.toString(),
                        "server",
                        "--url",
                        "http://127.0.0.1:" + port + "/mcp",
                        "-o",
                        results.toString()),
                Map.of(),
                NetClients.FOLDER,
                new byte[0]);
        Map<String, Boolean> checks = new HashMap<>();
        try (Stream<Path> scenarios = Files.list(results)) {
            for (Path scenario : scenarios.toList()) {
                String title = scenario.getFileName().toString().replaceFirst("-\\d{4}-.*", "");
                for (JsonNode check : Installation.JSON.readTree(scenario.resolve("checks.json"))) {
                    if (!check.path("status").asString().equals("INFO")) {
                        boolean passes = check.path("status").asString().equals("SUCCESS");
                        checks.merge(
                                name + "/" + title + "/" + check.path("id").asString(), passes, Boolean::logicalAnd);
                    }
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
