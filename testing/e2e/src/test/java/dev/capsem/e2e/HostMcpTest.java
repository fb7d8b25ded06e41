package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import dev.capsem.testkit.http.HttpOrigin;
import dev.capsem.testkit.llm.ModelApi;
import dev.capsem.testkit.llm.ScriptedModel;
import dev.capsem.testkit.upstreams.Upstreams;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator;
import io.modelcontextprotocol.json.schema.jackson3.DefaultJsonSchemaValidator;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// capsem-mcp as agents on the host use it: driven by clients nobody here wrote, against real sandboxes.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostMcpTest {
    private Installation installation;

    @BeforeAll
    void start() {
        installation = Installation.start(Account.available().getFirst());
    }

    @AfterAll
    void stop() {
        installation.close();
    }

    @Test
    void theOfficialSdkDrivesAllTools() {
        requireNpm("@modelcontextprotocol/sdk");
        forgetSandboxes();

        Outcome run = node(
                "scripts/host_mcp.mjs", installation.program(".").normalize().toString());

        JsonNode report = lastLine(run);
        assertThat(report.path("wrong")).as("%s", run.stderr()).isEmpty();
        assertThat(report.path("right").asInt()).isGreaterThan(200);
    }

    @Test
    void theJavaSdkDrivesAllTools() {
        forgetSandboxes();
        var mapper = new JacksonMcpJsonMapper(new JsonMapper());
        ServerParameters parameters = ServerParameters.builder(
                        installation.program("capsem-mcp").toString())
                .env(installation.environment())
                .build();
        var schemas = new DefaultJsonSchemaValidator();
        try (McpSyncClient client = McpClient.sync(new StdioClientTransport(parameters, mapper))
                .requestTimeout(Duration.ofMinutes(2))
                // Answers that do not fit their output schema are errors.
                .jsonSchemaValidator(schemas)
                .enableCallToolSchemaCaching(true)
                .build()) {
            client.initialize();
            List<McpSchema.Tool> tools = client.listTools().tools();
            HostMcpCases.Client caller = (tool, arguments) -> Installation.JSON.valueToTree(client.callTool(
                    CallToolRequest.builder(tool).arguments(plain(arguments)).build()));

            assertThat(tools)
                    .hasSize(26)
                    .allSatisfy(tool -> assertThat(List.of(tool.inputSchema(), tool.outputSchema()))
                            .allSatisfy(schema -> assertThat(schemas.validateSchema(schema))
                                    .as(tool.name())
                                    .returns(true, JsonSchemaValidator.ValidationResponse::valid)));
            HostMcpCases cases = HostMcpCases.read();
            cases.driveExamples(Installation.JSON.valueToTree(tools), caller);
            cases.driveFailures(each -> true, caller);
        }
    }

    /// Each call starts the inspector and capsem-mcp anew, so the failures are those of a few tools.
    @Test
    void theInspectorDrivesAllTools() {
        requireNpm("@modelcontextprotocol/inspector-cli");
        forgetSandboxes();
        Set<String> failing = Set.of("capsem_create", "capsem_exec");
        HostMcpCases.Client caller = (tool, arguments) -> {
            List<String> words = new ArrayList<>(List.of("--method", "tools/call", "--tool-name", tool));
            arguments.forEachEntry((name, value) -> words.addAll(List.of("--tool-arg", name + "=" + value)));
            return inspector(words.toArray(String[]::new));
        };

        JsonNode tools = inspector("--method", "tools/list").path("tools");

        assertThat(tools.size()).isEqualTo(26);
        HostMcpCases cases = HostMcpCases.read();
        cases.driveExamples(tools, caller);
        cases.driveFailures(each -> failing.contains(each.tool()), caller);
    }

    /// As the cases require it, whichever client was here before.
    private void forgetSandboxes() {
        assertThat(installation.capsem("purge", "--all", "--yes").exitCode()).isZero();
        installation.create("{\"name\": \"brave-lynx-tmp\"}");
    }

    private static Map<String, Object> plain(JsonNode arguments) {
        return Installation.JSON.convertValue(arguments, new TypeReference<Map<String, Object>>() {});
    }

    @Test
    void aScriptOnStdinGetsAllItsAnswers() {
        String script = """
                {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}
                {"jsonrpc":"2.0","method":"notifications/initialized"}
                {"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"capsem_list"}}
                no JSON
                """;

        Outcome run = Commands.run(
                List.of(installation.program("capsem-mcp").toString()),
                installation.environment(),
                installation.userDirectory(),
                script.getBytes(StandardCharsets.UTF_8));

        assertThat(run.exitCode()).as(run.stderr()).isZero();
        assertThat(run.stdout().lines().map(Installation.JSON::readTree))
                .hasSize(3)
                .anySatisfy(line -> assertThat(
                                line.path("result").path("protocolVersion").asString())
                        .isEqualTo("2024-11-05"))
                .anySatisfy(line -> assertThat(line.path("id").asString()).isEqualTo("two"))
                .anySatisfy(line ->
                        assertThat(line.path("error").path("code").asInt()).isEqualTo(-32700));
    }

    @Test
    void aRealAgentDoesItsWorkThroughTheToolsOnly() {
        Path claude = NetClients.FOLDER.resolve("node_modules/@anthropic-ai/claude-code-linux-x64/claude");
        Assumptions.assumeTrue(Files.isExecutable(claude), "skipped: @anthropic-ai/claude-code is not installed");
        var model = new ScriptedModel(List.of(
                step("capsem_create", "{\"name\": \"agent-box\"}"),
                step(
                        "capsem_write_file",
                        "{\"id\": \"agent-box\", \"path\": \"suite.sh\", \"content\": \"test $((6*7)) = 42 && echo passed\"}"),
                step("capsem_exec", "{\"id\": \"agent-box\", \"command\": \"sh suite.sh\"}"),
                step("capsem_fork", "{\"id\": \"agent-box\", \"name\": \"agent-copy\"}"),
                step("capsem_read_file", "{\"id\": \"agent-copy\", \"path\": \"suite.sh\"}"),
                step("capsem_delete", "{\"id\": \"agent-copy\"}"),
                step("capsem_delete", "{\"id\": \"agent-box\"}")));
        Outcome run;
        try (Upstreams upstreams = new Upstreams()) {
            HttpOrigin origin = upstreams.http("model.example.test", model);
            String config = Installation.JSON
                    .createObjectNode()
                    .set(
                            "mcpServers",
                            Installation.JSON
                                    .createObjectNode()
                                    .set(
                                            "capsem",
                                            Installation.JSON
                                                    .createObjectNode()
                                                    .put("type", "stdio")
                                                    .put(
                                                            "command",
                                                            installation
                                                                    .program("capsem-mcp")
                                                                    .toString())))
                    .toString();
            Map<String, String> environment = new HashMap<>(installation.environment());
            environment.put("ANTHROPIC_BASE_URL", "http://127.0.0.1:" + origin.port());
            environment.put("ANTHROPIC_API_KEY", "sk-ant-test-0007");
            environment.put("ANTHROPIC_MODEL", "claude-haiku-4-5");
            environment.put("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
            environment.put("DISABLE_AUTOUPDATER", "1");
            run = Commands.run(
                    List.of(
                            claude.toString(),
                            "-p",
                            "test it in a sandbox",
                            "--mcp-config",
                            config,
                            "--strict-mcp-config",
                            "--allowedTools",
                            "mcp__capsem",
                            "--output-format",
                            "json"),
                    environment,
                    installation.userDirectory(),
                    new byte[0]);
        }

        assertThat(run.stdout()).as("%s", run.stderr()).contains("\"is_error\":false", ModelApi.TEXT);
        assertThat(model.results()).hasSize(7);
        assertThat(model.results().get(2)).contains("passed");
        assertThat(model.results().get(4)).contains("6*7");
        assertThat(installation.get("/list").json().path("sandboxes").toString())
                .doesNotContain("agent-box", "agent-copy");
    }

    private static ScriptedModel.Step step(String tool, String arguments) {
        return new ScriptedModel.Step("mcp__capsem__" + tool, arguments);
    }

    @Test
    void clientsAreRegistered() throws Exception {
        assertThat(installation.capsem("mcp", "install", "claude").exitCode()).isZero();

        JsonNode entry = Installation.JSON
                .readTree(Files.readAllBytes(installation.userDirectory().resolve(".claude.json")))
                .path("mcpServers")
                .path("capsem");

        assertThat(Path.of(entry.path("command").asString())).isExecutable();
        assertThat(entry.path("env").path("CAPSEM_HOME").asString())
                .isEqualTo(installation.home().toString());
    }

    private JsonNode inspector(String... words) {
        List<String> argv = new ArrayList<>(List.of(
                NetClients.node(),
                NetClients.FOLDER
                        .resolve("node_modules/@modelcontextprotocol/inspector-cli/build/index.js")
                        .toString(),
                // It hands no variables on.
                "env",
                "CAPSEM_HOME=" + installation.home(),
                installation.program("capsem-mcp").toString()));
        argv.addAll(List.of(words));
        // It looks for its own package.json one above the working directory.
        Path directory = NetClients.FOLDER.resolve("scripts");
        Outcome run = Commands.run(argv, installation.environment(), directory, new byte[0]);
        assertThat(run.exitCode()).as("%s%s", run.stdout(), run.stderr()).isZero();
        return Installation.JSON.readTree(run.stdoutBytes());
    }

    private Outcome node(String script, String... words) {
        List<String> argv = new ArrayList<>(List.of(NetClients.node(), script));
        argv.addAll(List.of(words));
        return Commands.run(argv, installation.environment(), NetClients.FOLDER, new byte[0]);
    }

    private static JsonNode lastLine(Outcome run) {
        List<String> lines = run.stdout().lines().toList();
        assertThat(lines).as("%s", run.stderr()).isNotEmpty();
        return Installation.JSON.readTree(lines.getLast());
    }

    private static void requireNpm(String name) {
        boolean isThere =
                Files.isDirectory(NetClients.FOLDER.resolve("node_modules").resolve(name));
        Assumptions.assumeTrue(isThere, "skipped: npm:" + name + " is missing");
    }
}
