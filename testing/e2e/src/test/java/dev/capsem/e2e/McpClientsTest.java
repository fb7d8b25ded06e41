package dev.capsem.e2e;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Installation.Executed;
import dev.capsem.e2e.NetSandbox.Row;
import dev.capsem.testkit.llm.ModelApi;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/// MCP clients that nobody here wrote, unchanged, inside a sandbox: each lists and calls tools of servers that nobody
/// here wrote, and every call is on record.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class McpClientsTest {
    /// Beginnings of the names of the jars that the Java client needs.
    private static final List<String> SDK_JARS = List.of(
            "mcp-core-",
            "mcp-json-jackson3-",
            "reactor-core-",
            "reactive-streams-",
            "jackson-databind-",
            "jackson-core-",
            "jackson-annotations-",
            "json-schema-validator-",
            "slf4j-api-");

    private Path directory;
    private World world;
    private McpServers servers;
    private NetSandbox sandbox;

    @BeforeAll
    void start(@TempDir Path temporary) throws IOException {
        McpServers.missing().ifPresent(reason -> Assumptions.abort("skipped: " + reason));
        directory = temporary;
        Files.writeString(directory.resolve("notes.txt"), "notes of the host\n");
        world = new World();
        servers = McpServers.start(directory);
        sandbox = NetSandbox.startUnder(Account.available().getFirst(), world, servers.profile(world));
        sandbox.awaitServers("everything", "files", "memory", "thinking");
    }

    @AfterAll
    void stop() {
        if (sandbox != null) {
            sandbox.close();
            servers.close();
            world.close();
        }
    }

    @Test
    void typescriptSdk() {
        long before = lastCall();
        Executed run = sandbox.exec("node $S/mcp_sdk.mjs everything__echo '{\"message\":\"typescript\"}'"
                + " everything__get-sum '{\"a\":2,\"b\":3}' everything__echo '{}' local__echo '{\"text\":\"own\"}'");

        List<String> lines = run.stdout().lines().toList();
        assertThat(lines).as("%s", run.stderr()).hasSize(7);
        assertThat(lines.getFirst().split(" "))
                .contains("everything__echo", "everything__get-sum", "file_read", "local__echo", "local__fetch_http");
        assertThat(lines.get(1)).isEqualTo("Echo: typescript");
        assertThat(lines.get(2)).contains("5");
        assertThat(lines.get(3)).startsWith("failed: ");
        assertThat(lines.get(4)).isEqualTo("own");
        assertThat(lines.get(5)).startsWith("capsem://everything/");
        assertThat(lines.get(6)).contains("everything__simple-prompt");
        List<Row> rows = sandbox.awaitRows(
                4, "SELECT * FROM mcp_calls WHERE id > ? AND method = 'tools/call' ORDER BY id", before);
        assertThat(rows).hasSize(4);
        call(rows.getFirst(), "node", "everything", "everything__echo", "typescript");
        assertThat(rows.get(1).text("request_preview")).contains("\"a\":2", "\"b\":3");
        assertThat(rows.getLast().text("server_name")).isEqualTo("builtin");
        assertThat(sandbox.awaitRow("SELECT * FROM mcp_calls WHERE id > ? AND method = 'resources/read'", before)
                        .text("server_name"))
                .isEqualTo("everything");
    }

    /// Exactly one row, with everything in it.
    private void call(Row row, String process, String server, String tool, String message) {
        assertThat(row.text("server_name")).isEqualTo(server);
        assertThat(row.text("method")).isEqualTo("tools/call");
        assertThat(row.text("tool_name")).isEqualTo(tool);
        assertThat(row.text("request_id")).isNotBlank();
        assertThat(row.text("request_preview")).contains(message);
        assertThat(row.text("response_preview")).contains("Echo: " + message);
        assertThat(row.text("decision")).isEqualTo("allowed");
        assertThat(row.number("duration_ms")).isNotNegative();
        assertThat(row.get("error_message")).isNull();
        assertThat(row.text("process_name")).isEqualTo(process);
        assertThat(row.number("bytes_sent")).isPositive();
        assertThat(row.number("bytes_received")).isPositive();
        assertThat(row.text("policy_mode")).isEqualTo("enforce");
        assertThat(row.text("policy_action")).isEqualTo("allow");
        assertThat(row.text("policy_rule")).isEqualTo("security.rules.mcp.world");
        String trace = row.text("trace_id");
        for (String type : List.of("mcp.request", "mcp.response")) {
            assertThat(sandbox.awaitRow(
                                    "SELECT * FROM security_events WHERE trace_id = ? AND event_type = ?", trace, type)
                            .text("final_action"))
                    .isEqualTo("continue");
        }
    }

    @Test
    void inspector() {
        String inspect = "cd $S && node ../node_modules/@modelcontextprotocol/inspector-cli/build/index.js"
                + " capsem-mcp-server --method ";

        Executed list = sandbox.exec(inspect + "tools/list");
        Executed called =
                sandbox.exec(inspect + "tools/call --tool-name everything__echo --tool-arg message=inspector");

        assertThat(list.stdout()).as("%s", list.stderr()).contains("\"everything__get-sum\"");
        assertThat(called.stdout()).as("%s", called.stderr()).contains("Echo: inspector");
        call(row("inspector"), "node", "everything", "everything__echo", "inspector");
    }

    @Test
    void javaSdk() {
        String java = "$(ls -d /usr/lib/jvm/*/bin/java 2>/dev/null | tail -1)";
        Assumptions.assumeTrue(
                sandbox.exec("[ -x \"" + java + "\" ]").exitCode() == 0, "skipped: no Java inside the sandbox");
        List<String> jars = List.of(System.getProperty("java.class.path").split(File.pathSeparator)).stream()
                .filter(jar -> SDK_JARS.stream()
                        .anyMatch(name -> Path.of(jar).getFileName().toString().startsWith(name)))
                .toList();
        assertThat(jars).hasSize(SDK_JARS.size());
        copyIn(jars);

        Executed run = sandbox.exec("\"" + java + "\" -XX:TieredStopAtLevel=1 -cp '/root/sdk/*' $S/McpSdkClient.java"
                + " everything__echo '{\"message\":\"java\"}'");

        assertThat(run.stdout())
                .as("%s", run.stderr())
                .contains("everything__get-sum")
                .endsWith("Echo: java\n");
        call(row("java"), "java", "everything", "everything__echo", "java");
    }

    private void copyIn(List<String> jars) {
        Path tar = directory.resolve("sdk.tar");
        List<String> pack = new ArrayList<>(List.of("tar", "cf", tar.toString()));
        for (String jar : jars) {
            Path file = Path.of(jar);
            pack.addAll(List.of(
                    "-C",
                    requireNonNull(file.getParent()).toString(),
                    file.getFileName().toString()));
        }
        assertThat(Commands.run(pack, Map.of(), directory, new byte[0]).exitCode())
                .isZero();
        assertThat(sandbox.installation()
                        .capsem("cp", tar.toString(), sandbox.id() + ":/root/sdk.tar")
                        .exitCode())
                .isZero();
        // An ordinary user's sandbox has one user only, whoever owns the jars outside.
        assertThat(sandbox.exec("mkdir /root/sdk && tar xf /root/sdk.tar --no-same-owner -C /root/sdk")
                        .exitCode())
                .isZero();
    }

    /// The model asks for a tool of a server; Claude Code calls it through the relay.
    @Test
    void claudeCode() {
        String claude = "node_modules/@anthropic-ai/claude-code-linux-x64/claude";
        Assumptions.assumeTrue(
                Files.isExecutable(NetClients.FOLDER.resolve(claude)),
                "skipped: @anthropic-ai/claude-code is not installed; ./capsem setup --tests installs it");

        Executed run = sandbox.exec("mkdir -p /root/work && cd /root/work && env ANTHROPIC_BASE_URL=https://{anthropic}"
                + " ANTHROPIC_API_KEY=sk-ant-test-0007 ANTHROPIC_MODEL=claude-haiku-4-5 IS_SANDBOX=1"
                + " CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 ENABLE_TOOL_SEARCH=false"
                // It begins without a server that is late: on a busy machine every one is.
                + " MCP_TIMEOUT=60000 MCP_CONNECTION_NONBLOCKING=false"
                + " /root/clients/" + claude + " -p 'call mcp__capsem__everything__echo' --output-format json"
                + " --strict-mcp-config --mcp-config"
                + " '{\"mcpServers\":{\"capsem\":{\"type\":\"stdio\",\"command\":\"capsem-mcp-server\",\"args\":[]}}}'"
                + " --allowedTools mcp__capsem__everything__echo < /dev/null");

        assertThat(run.stdout()).as("%s", run.stderr()).contains("\"is_error\":false", ModelApi.TEXT);
        call(row(ModelApi.MESSAGE), "claude", "everything", "everything__echo", ModelApi.MESSAGE);
        Row asked = sandbox.awaitRow("SELECT * FROM tool_calls WHERE tool_name LIKE '%everything__echo'");
        assertThat(asked.text("origin")).isEqualTo("mcp_proxy");
    }

    /// Programs that Capsem starts in sandboxes of their own.
    @Test
    void serversThatArePrograms() {
        Executed run = sandbox.exec("node $S/mcp_sdk.mjs files__read_text_file '{\"path\":\"" + directory
                + "/notes.txt\"}' files__read_text_file '{\"path\":\"/etc/hostname\"}' memory__create_entities"
                + " '{\"entities\":[{\"name\":\"otter\",\"entityType\":\"animal\",\"observations\":[\"swims\"]}]}'"
                + " thinking__sequentialthinking '{\"thought\":\"one\",\"nextThoughtNeeded\":false,"
                + "\"thoughtNumber\":1,\"totalThoughts\":1}'");

        List<String> lines = run.stdout().lines().toList();
        assertThat(run.stdout())
                .as("%s", run.stderr())
                .contains("notes of the host\n", "otter", "\"totalThoughts\": 1");
        // The server itself would read below /etc; in its sandbox there is no such file.
        assertThat(lines).anyMatch(line -> line.startsWith("failed: ") && line.contains("ENOENT"));
        assertThat(directory.resolve("memory.json")).content().contains("otter");
        assertThat(sandbox.awaitRows(
                        4,
                        "SELECT * FROM mcp_calls WHERE method = 'tools/call'"
                                + " AND server_name IN ('files', 'memory', 'thinking') ORDER BY id"))
                .extracting(row -> row.text("tool_name"))
                .containsExactly(
                        "files__read_text_file",
                        "files__read_text_file",
                        "memory__create_entities",
                        "thinking__sequentialthinking");
    }

    private long lastCall() {
        return sandbox.rows("SELECT coalesce(max(id), 0) AS last FROM mcp_calls")
                .getFirst()
                .number("last");
    }

    private Row row(String message) {
        return sandbox.awaitRow(
                "SELECT * FROM mcp_calls WHERE method = 'tools/call' AND request_preview LIKE ?",
                "%\"" + message + "\"%");
    }
}
