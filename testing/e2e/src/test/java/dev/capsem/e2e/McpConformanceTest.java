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
import tools.jackson.databind.JsonNode;

/// The official conformance suite against a server, directly and through relay, endpoint and aggregator: what passes
/// there passes here.
@Tag("e2e")
class McpConformanceTest {
    private static final Path SUITE = Path.of("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    private static final Path DIFFERENCES = Path.of("src/test/resources/conformance-differences.txt");
    private static final int CHECKS_MIN = 40;

    @TempDir
    Path directory;

    @Test
    void everyCheckThatPassesDirectlyPassesThroughUs() throws IOException {
        Assumptions.assumeTrue(
                Files.exists(NetClients.FOLDER.resolve(SUITE)),
                "skipped: the conformance suite is not installed; ./capsem setup --tests installs it");
        try (World world = new World();
                McpServers fixture = McpServers.script(directory, "conformance_server.mjs", List.of(), Map.of());
                NetSandbox sandbox = NetSandbox.startUnder(
                        Account.available().getFirst(), world, McpServers.profile(world, "fixture", fixture.port()));
                McpServers bridge = McpServers.script(
                        directory,
                        "conformance_bridge.mjs",
                        List.of(
                                "fixture",
                                sandbox.installation()
                                        .dist()
                                        .resolve("bin/capsem")
                                        .toString(),
                                "exec",
                                sandbox.id(),
                                "--",
                                "capsem-mcp-server"),
                        sandbox.installation().environment())) {
            Map<String, Boolean> direct = checks("direct", fixture.port());
            Map<String, Boolean> through = checks("through", bridge.port());

            TreeSet<String> lost = new TreeSet<>();
            direct.forEach((check, passes) -> {
                if (passes && !through.getOrDefault(check, false)) {
                    lost.add(check);
                }
            });
            assertThat(direct.values().stream().filter(passes -> passes).count())
                    .isGreaterThanOrEqualTo(CHECKS_MIN);
            assertThat(lost)
                    .as("checks that pass directly only; each is a line `check: reason` in %s", DIFFERENCES)
                    .containsExactlyElementsOf(differences());
            assertThat(sandbox.awaitRows(
                            10, "SELECT * FROM mcp_calls WHERE server_name = 'fixture' AND method = 'tools/call'"))
                    .allSatisfy(row -> assertThat(row.text("policy_action")).isEqualTo("allow"));
        }
    }

    /// Which checks pass; one that runs more than once passes if it always does.
    private Map<String, Boolean> checks(String name, int port) throws IOException {
        Path results = Files.createDirectory(directory.resolve(name));
        Commands.run(
                List.of(
                        "node",
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
                        checks.merge(title + "/" + check.path("id").asString(), passes, Boolean::logicalAnd);
                    }
                }
            }
        }
        return checks;
    }

    private static List<String> differences() {
        try {
            List<String> checks = new ArrayList<>();
            for (String line : Files.readAllLines(DIFFERENCES)) {
                if (!line.isBlank() && !line.startsWith("#")) {
                    checks.add(line.substring(0, line.indexOf(':')));
                }
            }
            return checks.stream().sorted().toList();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
