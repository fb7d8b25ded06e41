package dev.capsem.e2e;

import static dev.capsem.e2e.McpTalk.call;
import static dev.capsem.e2e.McpTalk.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Installation.Executed;
import dev.capsem.e2e.NetSandbox.Row;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// MCP from a client inside the sandbox to servers outside it: relay, endpoint, aggregator, built-in tools, a server
/// over HTTP and one that is a program. The two programs of ours run behind a script that first tries what they must
/// not be able to do, in the very sandbox that they get.
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class McpTest {
    private static final String PROFILE = "mcp-test";
    private static final String NAME = "lab";
    private static Optional<McpBackend> backend = Optional.empty();
    private static Optional<NetSandbox> sandbox = Optional.empty();

    @BeforeAll
    static void start() throws IOException {
        McpBackend server = new McpBackend();
        backend = Optional.of(server);
        Installation installation = Installation.prepare(Account.ROOT);
        Path dist = probingPrograms(installation, server.port());
        Path program = installation.userDirectory().resolve("served").resolve("server.py");
        Files.createDirectories(program.getParent());
        Files.writeString(program, STDIO_SERVER);
        Path profiles = Files.createDirectories(installation.home().resolve("profiles"));
        Files.writeString(profiles.resolve(PROFILE + ".toml"), profile(server.port(), program));
        sandbox = Optional.of(NetSandbox.start(installation.withDist(dist), PROFILE, NAME));
    }

    @AfterAll
    static void stop() {
        sandbox.ifPresent(NetSandbox::close);
        backend.ifPresent(McpBackend::close);
    }

    private static McpBackend backend() {
        return backend.orElseThrow();
    }

    private static NetSandbox sandbox() {
        return sandbox.orElseThrow();
    }

    /// A copy of the programs in which the two behind MCP are preceded by the probe.
    private static Path probingPrograms(Installation installation, int port) throws IOException {
        Path dist = installation.copyOfPrograms();
        Path probe = dist.resolve("bin").resolve("probe.py");
        try (InputStream text = McpTest.class.getResourceAsStream("/mcp-probe.py")) {
            assertThat(text).isNotNull();
            Files.copy(text, probe);
        }
        for (String name : List.of("capsem-mcp-aggregator", "capsem-mcp-builtin")) {
            Path program = dist.resolve("bin").resolve(name);
            Path real = dist.resolve("bin").resolve(name + "-itself");
            Files.move(program, real);
            Files.writeString(
                    program,
                    "#!/bin/sh\npython3 -I %s %s %s %s %d </dev/null >/dev/null\nexec %s\n"
                            .formatted(
                                    probe,
                                    installation.home(),
                                    installation.persistent(NAME),
                                    installation.userDirectory(),
                                    port,
                                    real));
            Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        return dist;
    }

    private static String profile(int port, Path program) {
        return """
                schema = "capsem.profile.v2"
                id = "%s"
                name = "MCP tests"
                description = "A server over HTTP, a server that is a program, one that may not be started."
                extends = "coding"

                [approvals]
                unwatched = "wait"

                [mcpServers.far]
                url = "http://127.0.0.1:%d/mcp"

                [mcpServers.near]
                command = "/usr/bin/python3"
                args = ["%s"]
                env = { GREETING = "hello" }
                [mcpServers.near.capsem]
                capabilities = ["fs:read:%s/**", "net:connect:127.0.0.1:%d"]

                [mcpServers.idle]
                command = "/usr/bin/python3"

                [security.rules.mcp.no]
                on = "mcp.request"
                if = 'mcp.request.tool_name == "forbidden"'
                decision = "block"
                priority = 10
                reason = "not here"

                [security.rules.mcp.maybe]
                on = "mcp.request"
                if = 'mcp.request.tool_name == "risky"'
                decision = "ask"
                priority = 10

                [security.rules.mcp.secret_plans]
                on = "mcp.response"
                if = 'mcp.response.content.contains("top-secret")'
                decision = "block"
                priority = 10

                [security.rules.mcp.polite]
                on = "mcp.request"
                if = 'mcp.request.tool_name == "mirror" && mcp.request.arguments.contains("please")'
                decision = "rewrite"
                rewrite_target = 'mcp.request.arguments.text =~ "please"'
                rewrite_value = "kindly"
                priority = 20

                [security.rules.mcp.rest]
                on = "mcp.request"
                if = 'mcp.request.server_name in ["far", "near"]'
                decision = "allow"
                priority = 150

                [security.rules.http.backend]
                on = "http.request"
                if = 'http.request.address_class == "loopback" && http.request.port == %d'
                decision = "allow"
                priority = 5

                [security.rules.http.nobody]
                on = "http.request"
                if = 'http.request.host == "nobody.example"'
                decision = "block"
                priority = 5
                """.formatted(PROFILE, port, program, program.getParent(), port, port);
    }

    /// Speaks MCP on its standard input and output; `reach` connects to a port of the host through its proxy.
    private static final String STDIO_SERVER = """
            import json, os, sys, urllib.request
            TOOLS = [{"name": name, "description": name, "inputSchema": {"type": "object"}} for name in ("greet", "reach")]
            def reach(port):
                try:
                    return str(urllib.request.urlopen("http://127.0.0.1:%s/mcp" % port, timeout=10).status)
                except urllib.error.HTTPError as answer:
                    return str(answer.code)
                except OSError as refused:
                    return "refused"
            for line in sys.stdin:
                message = json.loads(line)
                if "id" not in message:
                    continue
                method, params = message["method"], message.get("params", {})
                if method == "initialize":
                    result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                              "serverInfo": {"name": "near", "version": "1"}}
                elif method == "tools/list":
                    result = {"tools": TOOLS}
                elif method == "tools/call":
                    text = os.environ["GREETING"] if params["name"] == "greet" else reach(params["arguments"]["port"])
                    result = {"content": [{"type": "text", "text": text}]}
                else:
                    result = {}
                print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
            """;

    private static McpTalk speak(String... requests) {
        return McpTalk.speak(sandbox(), requests);
    }

    @Test
    @Order(1)
    void toolsOfAllServersAreListedAndCalled() {
        McpTalk answers = speak(
                request(1, "tools/list", "{}"),
                call(2, "local__echo", "{\"text\":\"hi\"}"),
                call(3, "file_write", "{\"path\":\"made.txt\",\"content\":\"by a tool\"}"),
                call(4, "far__mirror", "{\"a\":1}"),
                call(5, "near__greet", "{}"),
                call(6, "snapshots_create", "{\"name\":\"first\"}"));

        List<String> names = new ArrayList<>();
        answers.answer(1)
                .path("result")
                .path("tools")
                .forEach(tool -> names.add(tool.path("name").asString()));
        assertThat(names)
                .contains("local__echo", "file_read", "far__mirror", "near__greet")
                .isSorted();
        assertThat(answers.text(2)).isEqualTo("hi");
        assertThat(answers.text(4)).isEqualTo("{\"a\":1}");
        assertThat(answers.text(5)).as("%s", answers.answer(5)).isEqualTo("hello");
        assertThat(answers.text(6)).contains("\"checkpoint\"");
        assertThat(sandbox().exec("cat /root/made.txt").stdout()).isEqualTo("by a tool");
        Row row = sandbox()
                .awaitRows(1, "select * from mcp_calls where tool_name = 'far__mirror'")
                .getFirst();
        assertThat(row.text("server_name")).isEqualTo("far");
        assertThat(row.text("decision")).isEqualTo("allowed");
        assertThat(row.text("trace_id")).hasSize(32);
    }

    @Test
    @Order(2)
    void whatIsBlockedOrNotApprovedNeverReachesTheServer() {
        Thread person = denying();
        McpTalk answers = speak(call(1, "far__forbidden", "{\"key\":\"value\"}"), call(2, "far__risky", "{}"));
        join(person);

        assertThat(answers.answer(1).path("error").path("code").asInt()).isEqualTo(-32600);
        assertThat(answers.answer(1).path("error").path("data").path("rule").asString())
                .isEqualTo("security.rules.mcp.no");
        assertThat(answers.answer(2).path("error").path("data").path("decision").asString())
                .isEqualTo("ask");
        assertThat(backend().calls("forbidden")).isEmpty();
        assertThat(backend().calls("risky")).isEmpty();
        Row row = sandbox()
                .awaitRows(1, "select * from mcp_calls where tool_name = 'far__forbidden'")
                .getFirst();
        assertThat(row.text("decision")).isEqualTo("denied");
        assertThat(row.text("policy_rule")).isEqualTo("security.rules.mcp.no");
        assertThat(row.text("request_preview")).doesNotContain("value");
    }

    @Test
    @Order(3)
    void answersAreJudgedArgumentsRewrittenSecretsMasked() {
        String key = "sk-ant-api03-" + "A1b2C3d4".repeat(10);
        McpTalk answers = speak(
                call(1, "far__classified", "{}"),
                call(2, "far__mirror", "{\"text\":\"please\"}"),
                call(3, "far__mirror", "{\"token\":\"" + key + "\"}"));

        assertThat(answers.answer(1).toString()).contains("secret_plans").doesNotContain("top-secret-42");
        assertThat(backend().calls("classified")).hasSize(1);
        assertThat(answers.text(2)).contains("kindly").doesNotContain("please");
        assertThat(backend().calls("mirror").toString()).contains("kindly").doesNotContain("please");
        assertThat(answers.text(3)).contains(key);
        sandbox()
                .awaitRows(1, "select * from mcp_calls where request_preview like '%token%'")
                .forEach(row -> {
                    assertThat(row.text("request_preview")).doesNotContain(key);
                    assertThat(row.text("response_preview")).doesNotContain(key);
                });
        assertThat(sandbox().rows("select * from ai_mcp_execution_evidence").toString())
                .doesNotContain(key);
    }

    @Test
    @Order(4)
    void aProgramReachesWhatItsCapabilitiesNameAndNothingElse() {
        McpTalk answers = speak(
                call(1, "near__reach", "{\"port\":%d}".formatted(backend().port())),
                call(2, "near__reach", "{\"port\":1}"));

        assertThat(answers.text(1)).isEqualTo("405");
        assertThat(answers.text(2)).isEqualTo("403");
        assertThat(
                        sandbox()
                                .awaitRows(
                                        2,
                                        "select * from security_events where origin_kind = 'host_service' and event_type = 'http.request'"))
                .isNotEmpty();
        assertThat(sandbox().rows("select * from net_events")).isEmpty();
    }

    @Test
    @Order(4)
    void aProgramHasItsOwnShareOfTheHostWhereTheHostGrantsOne() {
        speak(call(1, "near__greet", "{}"));
        Assumptions.assumeTrue(isLimited(), "skipped: this host grants no cgroups");

        List<String> own = sandbox().installation().processes().stream()
                .filter(pid -> text("/proc/" + pid + "/cmdline").startsWith("/usr/bin/python3\0"))
                .filter(pid -> text("/proc/" + pid + "/cmdline").contains("served/server.py"))
                .map(McpTest::groupsOf)
                .toList();

        assertThat(own).isNotEmpty().allSatisfy(group -> assertThat(group).contains("/capsem/tool-"));
    }

    /// Whether the sandbox itself has groups of its own.
    private static boolean isLimited() {
        return Stream.of("/sys/fs/cgroup/pids/capsem", "/sys/fs/cgroup/capsem")
                .map(Path::of)
                .filter(Files::isDirectory)
                .anyMatch(parent -> {
                    try (Stream<Path> groups = Files.list(parent)) {
                        return groups.anyMatch(group -> group.getFileName()
                                .toString()
                                .startsWith(sandbox().id() + "-"));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
    }

    private static String groupsOf(long pid) {
        return text("/proc/" + pid + "/cgroup");
    }

    /// Empty if it is gone meanwhile.
    private static String text(String file) {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException gone) {
            return "";
        }
    }

    @Test
    @Order(5)
    void theBuiltInWebToolsGoThroughTheGuestsDoor() {
        McpTalk answers = speak(call(1, "local__http_headers", "{\"url\":\"http://nobody.example/\"}"));

        assertThat(answers.text(1)).contains("403");
        Row row = sandbox()
                .awaitRows(1, "select * from net_events where domain = 'nobody.example'")
                .getFirst();
        assertThat(row.text("decision")).isEqualTo("denied");
    }

    @Test
    @Order(6)
    void theAggregatorHasNothingButItsServersAndTheBuiltInToolsNothingButTheWorkspace() throws IOException {
        JsonNode aggregator = probed("aggregator.log");
        JsonNode builtin = probed("builtin.log");

        for (JsonNode found : List.of(aggregator, builtin)) {
            for (String forbidden : List.of(
                    "session.db",
                    "session directory",
                    "host workspace",
                    "home",
                    "secrets",
                    "user's files",
                    "service socket",
                    "network",
                    "own programs",
                    "/usr")) {
                assertThat(found.path(forbidden).asString())
                        .as("%s: %s", forbidden, found)
                        .startsWith("refused");
            }
            assertThat(found.path("environments").asString()).isEqualTo("nothing");
            assertThat(found.path("other programs").asInt()).isLessThan(5);
            assertThat(found.path("privileges").asString()).matches("0+");
            assertThat(found.path("filter").asString()).isEqualTo("2");
            assertThat(found.path("keys").asString()).isIn("done", "refused: PermissionError");
        }
        assertThat(aggregator.path("/workspace").asString()).startsWith("refused");
        assertThat(aggregator.path("named host").asString()).contains(" 200 ");
        assertThat(aggregator.path("other host").asString()).contains(" 403 ");
        assertThat(aggregator.path("other protocol").asString()).contains(" 400 ");
        assertThat(aggregator.path("variables").asString())
                .isEqualTo("CAPSEM_EGRESS_SOCKET,CAPSEM_JAVA_HOME,HOME,PATH");
        assertThat(builtin.path("/workspace").asString()).isEqualTo("done");
        assertThat(builtin.path("named host").asString()).startsWith("refused");
        assertThat(builtin.path("variables").asString())
                .isEqualTo(
                        "CAPSEM_JAVA_HOME,CAPSEM_SNAPSHOTS,CAPSEM_STREAM_SOCKET,CAPSEM_WORKSPACE,HOME,PATH,SSL_CERT_FILE");
        assertThat(sandbox()
                        .awaitRows(1, "select message from security_event_steps where pack_id = 'mcp_egress'")
                        .toString())
                .contains("capsem-mcp-aggregator may not connect to 127.0.0.1:1");
    }

    private static JsonNode probed(String log) throws IOException {
        String text = Files.readString(sandbox().directory().resolve(log));
        return text.lines()
                .filter(line -> line.startsWith("{\"probe\""))
                .map(line -> Installation.JSON.readTree(line).path("probe"))
                .findFirst()
                .orElseThrow(() -> new AssertionError(text));
    }

    @Test
    @Order(7)
    void clientsInsideFindTheRelayConfigured() {
        Executed found = sandbox()
                .exec(
                        "cat /root/.claude.json /root/.gemini/settings.json /root/.codex/config.toml; command -v capsem-mcp-server");

        assertThat(found.stdout().split("/run/capsem/capsem-mcp-server", -1)).hasSize(4);
        assertThat(found.stdout()).contains("/usr/local/bin/capsem-mcp-server");
    }

    @Test
    @Order(8)
    void peopleSeeServersAndAgreeToWhatChanged() {
        JsonNode before = sandbox()
                .installation()
                .get("/mcp/tools/" + sandbox().id())
                .expect(200)
                .json();
        backend().describe("Answers with something else.");
        sandbox().installation().post("/reload-config", "{}").expect(200);
        Thread person = denying();
        McpTalk refused = speak(call(1, "far__mirror", "{\"b\":2}"));
        join(person);
        JsonNode changed = sandbox()
                .installation()
                .get("/mcp/tools/" + sandbox().id() + "?server=far")
                .expect(200)
                .json();
        sandbox()
                .installation()
                .post("/mcp/tools/" + sandbox().id() + "/approve", "{\"tools\":[\"far__mirror\"]}")
                .expect(200);
        McpTalk agreed = speak(call(1, "far__mirror", "{\"b\":3}"), call(2, "far__slow-not", "{}"));

        assertThat(server(before, "far").path("connected").asBoolean()).isTrue();
        assertThat(server(before, "idle").path("error").asString()).contains("capabilities");
        assertThat(tool(before, "far__mirror").path("state").asString()).isEqualTo("approved");
        assertThat(refused.answer(1).path("error").path("data").path("decision").asString())
                .isEqualTo("ask");
        assertThat(backend().calls("mirror").toString()).doesNotContain("\"b\":2");
        assertThat(tool(changed, "far__mirror").path("state").asString()).isEqualTo("changed");
        assertThat(tool(changed, "far__mirror").path("diff").toString()).contains("- description", "something else");
        assertThat(agreed.text(1)).isEqualTo("{\"b\":3}");
        sandbox().awaitRows(1, "select title from detection_findings where rule_id = 'capsem.mcp.tool_changed'");
    }

    @Test
    @Order(9)
    void aDeadAggregatorFailsItsCallsAtOnceAndComesBack() {
        sandbox()
                .installation()
                .post("/mcp/tools/" + sandbox().id() + "/approve", "{\"all\":true}")
                .expect(200);
        Thread killer = Thread.ofVirtual().start(() -> {
            try {
                backend().awaitSlowCall();
                aggregator().destroyForcibly();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        McpTalk lost = speak(call(1, "far__slow", "{}"));
        join(killer);

        assertThat(lost.answer(1).path("error").path("message").asString()).contains("aggregator not available");
        Row row = sandbox()
                .awaitRows(1, "select * from mcp_calls where tool_name = 'far__slow'")
                .getFirst();
        assertThat(row.text("decision")).isEqualTo("error");
        // It is started again with a delay; until then calls fail, and none of them hangs.
        String answer = "";
        long end = System.nanoTime() + Duration.ofSeconds(90).toNanos();
        while (!answer.equals("back") && System.nanoTime() < end) {
            answer = speak(call(1, "local__echo", "{\"text\":\"back\"}")).text(1);
        }
        assertThat(answer).isEqualTo("back");
    }

    /// Somebody who says no to the next question.
    private static Thread denying() {
        return Thread.ofVirtual().start(() -> {
            JsonNode pending = Installation.JSON.createArrayNode();
            long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (pending.isEmpty()) {
                assertThat(System.nanoTime()).as("the question comes in time").isLessThan(end);
                pending =
                        sandbox().installation().get("/confirm/pending").json().path("pending");
            }
            sandbox()
                    .installation()
                    .post("/confirm/" + pending.path(0).path("id").asString(), "{\"decision\":\"deny\"}")
                    .expect(200);
        });
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static ProcessHandle aggregator() {
        return sandbox().installation().processes().stream()
                .map(ProcessHandle::of)
                .flatMap(Optional::stream)
                .filter(process ->
                        process.info().commandLine().orElse("").contains("dev.capsem.backends.AggregatorMain"))
                .findFirst()
                .orElseThrow();
    }

    private static ObjectNode server(JsonNode all, String name) {
        return find(all.path("servers"), name);
    }

    private static ObjectNode tool(JsonNode all, String name) {
        return find(all.path("tools"), name);
    }

    private static ObjectNode find(JsonNode list, String name) {
        for (JsonNode item : list) {
            if (item.path("name").asString().equals(name)) {
                return (ObjectNode) item;
            }
        }
        throw new AssertionError("no " + name + " in " + list);
    }
}
