package dev.capsem.e2e;

import static dev.capsem.e2e.McpTalk.call;
import static dev.capsem.e2e.McpTalk.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.NetSandbox.Row;
import dev.capsem.testkit.tls.TestAuthority;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/// Servers that misbehave, over HTTP (`odd`) and as a program (`near`), beside one that does not (`far`), and nobody
/// who answers questions: each fault is an error of its own call, and of nothing else. `safe` is where only the
/// company's proxy knows the way, with a certificate that only the company vouches for.
@Tag("e2e")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class McpFaultsTest {
    private static final String PROFILE = "mcp-faults";
    /// Short, so that waiting for them is; long enough for whatever works.
    private static final Map<String, String> SETTINGS =
            Map.of("CAPSEM_APPROVAL_TIMEOUT_SECS", "4", "CAPSEM_MCP_TOOL_CALL_TIMEOUT_SECS", "15");

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int TIMED_OUT = -32000;

    private static Optional<McpBackend> far = Optional.empty();
    private static Optional<McpHostile> odd = Optional.empty();
    private static Optional<McpBackend> safe = Optional.empty();
    private static final CompanyProxy PROXY = new CompanyProxy();
    private static Optional<NetSandbox> sandbox = Optional.empty();

    @BeforeAll
    static void start() throws IOException {
        McpBackend good = new McpBackend();
        far = Optional.of(good);
        McpHostile bad = new McpHostile();
        odd = Optional.of(bad);
        Installation installation = Installation.prepare(Account.ROOT).withSettings(SETTINGS);
        Path program = installation.userDirectory().resolve("served").resolve("server.py");
        Files.createDirectories(program.getParent());
        Files.writeString(program, PROGRAM);
        TestAuthority company = TestAuthority.in(
                Files.createDirectories(installation.userDirectory().resolve("company")));
        McpBackend secured =
                new McpBackend(Optional.of(company.issue("safe.example.test").context()));
        safe = Optional.of(secured);
        Path profiles = Files.createDirectories(installation.home().resolve("profiles"));
        Files.writeString(
                profiles.resolve(PROFILE + ".toml"),
                profile(good.port(), bad.port(), program) + company(company.certificate(), secured.port()));
        assertThat(installation
                        .capsem(
                                (CompanyProxy.CREDENTIALS + "\n").getBytes(StandardCharsets.UTF_8),
                                installation.userDirectory(),
                                "secret",
                                "set",
                                "proxy")
                        .exitCode())
                .isZero();
        NetSandbox started = NetSandbox.start(installation, PROFILE, "faults");
        sandbox = Optional.of(started);
        await("near__mirror");
        await("odd__mirror");
    }

    @AfterAll
    static void stop() {
        sandbox.ifPresent(NetSandbox::close);
        odd.ifPresent(McpHostile::close);
        far.ifPresent(McpBackend::close);
        safe.ifPresent(McpBackend::close);
        PROXY.close();
    }

    private static String company(Path certificate, int port) {
        return """

                [network]
                upstream_proxy = "http://127.0.0.1:%d"
                upstream_proxy_credentials = "${secret:proxy}"
                extra_ca = "%s"

                [mcpServers.safe]
                url = "https://safe.example.test:%d/mcp"
                """.formatted(PROXY.port(), certificate, port);
    }

    private static String profile(int far, int odd, Path program) {
        return """
                schema = "capsem.profile.v2"
                id = "%s"
                name = "MCP faults"
                description = "One server that works and two that do not."
                extends = "coding"

                [approvals]
                unwatched = "wait"

                [mcpServers.far]
                url = "http://127.0.0.1:%d/mcp"

                [mcpServers.odd]
                url = "http://127.0.0.1:%d/mcp"

                [mcpServers.near]
                command = "/usr/bin/python3"
                args = ["%s"]
                [mcpServers.near.capsem]
                capabilities = ["fs:read:%s/**"]

                [security.rules.mcp.maybe]
                on = "mcp.request"
                if = 'mcp.request.tool_name == "risky"'
                decision = "ask"
                priority = 10

                [security.rules.mcp.rest]
                on = "mcp.request"
                if = 'mcp.request.server_name in ["far", "odd", "near", "safe"]'
                decision = "allow"
                priority = 150
                """.formatted(PROFILE, far, odd, program, program.getParent());
    }

    /// Does what the tool's name says; answers whatever it knows nothing about with its arguments.
    private static final String PROGRAM = """
            import json, os, sys
            NAMES = ("mirror", "hang", "flood", "large_id_first", "large_id_last", "wrong_id", "garbage", "die")
            TOOLS = [{"name": name, "description": name, "inputSchema": {"type": "object"}} for name in NAMES]
            LARGE = {"content": [{"type": "text", "text": "x" * 2_000_000}]}
            def say(message):
                print(message if isinstance(message, str) else json.dumps(message), flush=True)
            for line in sys.stdin:
                message = json.loads(line)
                if "id" not in message:
                    continue
                method, params, id = message["method"], message.get("params", {}), message["id"]
                tool = params.get("name") if method == "tools/call" else ""
                result = {}
                if method == "initialize":
                    result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "logging": {}},
                              "serverInfo": {"name": "near", "version": "1"}}
                elif method == "tools/list":
                    result = {"tools": TOOLS}
                elif method == "tools/call":
                    result = {"content": [{"type": "text", "text": json.dumps(params.get("arguments"))}]}
                if tool == "hang":
                    continue
                if tool == "die":
                    os._exit(1)
                if tool == "garbage":
                    say("Traceback (most recent call last):")
                    continue
                if tool == "wrong_id":
                    id = 987654
                if tool == "flood":
                    for _ in range(2000):
                        say({"jsonrpc": "2.0", "method": "notifications/message",
                             "params": {"level": "error", "data": "flood"}})
                if tool == "large_id_last":
                    say({"result": LARGE, "jsonrpc": "2.0", "id": id})
                    continue
                if tool == "large_id_first":
                    result = LARGE
                say({"jsonrpc": "2.0", "id": id, "result": result})
            """;

    private static NetSandbox sandbox() {
        return sandbox.orElseThrow();
    }

    private static McpTalk speak(String... requests) {
        return McpTalk.speak(sandbox(), requests);
    }

    /// Waits until this tool answers; one that is connected anew takes its time.
    private static void await(String tool) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        McpTalk talk = speak(call(1, tool, "{\"a\":1}"));
        while (!isAnswered(talk, 1) && System.nanoTime() < end) {
            talk = speak(call(1, tool, "{\"a\":1}"));
        }
        assertThat(isAnswered(talk, 1)).as("%s: %s", tool, talk).isTrue();
    }

    private static boolean isAnswered(McpTalk talk, int id) {
        return talk.answer(id).has("result");
    }

    private static void assertRecorded(String tool, String decision) {
        Row row = sandbox()
                .awaitRows(1, "select * from mcp_calls where tool_name = ? order by id desc", tool)
                .getFirst();
        assertThat(row.text("decision")).as(tool).isEqualTo(decision);
    }

    @Test
    @Order(1)
    void whatHangsOrIsNotAnsweredHoldsUpNobody() {
        McpTalk talk = speak(
                call(1, "odd__hang", "{}"),
                call(2, "near__hang", "{}"),
                call(3, "near__wrong_id", "{}"),
                call(4, "near__garbage", "{}"),
                call(5, "far__risky", "{}"),
                call(6, "far__mirror", "{\"b\":6}"),
                call(7, "odd__mirror", "{\"b\":7}"),
                call(8, "near__mirror", "{\"b\": 8}"));

        assertThat(talk.text(6)).isEqualTo("{\"b\":6}");
        assertThat(talk.text(7)).isEqualTo("{\"b\":7}");
        assertThat(talk.text(8)).isEqualTo("{\"b\": 8}");
        List<Integer> order = new ArrayList<>(talk.answers().keySet());
        assertThat(order.subList(0, 5)).as("they wait for no server").containsExactlyInAnyOrder(0, 5, 6, 7, 8);
        for (int id = 1; id <= 4; id++) {
            assertThat(talk.error(id).path("code").asInt()).isEqualTo(TIMED_OUT);
        }
        assertThat(odd.orElseThrow().calls()).contains("hang");
        assertRecorded("odd__hang", "error");
        assertRecorded("near__wrong_id", "error");
    }

    @Test
    @Order(2)
    void aQuestionThatNobodyAnsweredNeverReachedTheServer() {
        assertThat(far.orElseThrow().calls("risky")).isEmpty();
        Row row = sandbox().awaitRow("select * from mcp_calls where tool_name = 'far__risky'");
        assertThat(row.text("decision")).isEqualTo("denied");
        assertThat(row.text("policy_action")).isEqualTo("ask");
        assertThat(row.text("policy_outcome")).as("what came of the question").isEqualTo("timeout");
        assertThat(row.text("policy_rule")).isEqualTo("security.rules.mcp.maybe");
        assertThat(sandbox()
                        .installation()
                        .get("/confirm/pending")
                        .json()
                        .path("pending")
                        .isEmpty())
                .isTrue();
    }

    @Test
    @Order(3)
    void answersThatAreNoneFailTheirOwnCall() {
        McpTalk talk = speak(
                call(1, "odd__garbage", "{}"),
                call(2, "odd__wrong_id", "{}"),
                call(3, "odd__large", "{}"),
                call(4, "near__large_id_first", "{}"),
                call(5, "near__large_id_last", "{}"),
                call(6, "far__mirror", "{\"b\":6}"),
                call(7, "near__mirror", "{\"b\": 7}"));

        for (int id = 1; id <= 5; id++) {
            assertThat(talk.error(id).path("code").asInt())
                    .as("%s", talk.error(id))
                    .isNotEqualTo(TIMED_OUT);
        }
        assertThat(talk.error(5).path("message").asString()).contains("a line of more than");
        assertThat(talk.text(6)).isEqualTo("{\"b\":6}");
        assertThat(talk.text(7)).isEqualTo("{\"b\": 7}");
        assertRecorded("odd__large", "error");
        assertRecorded("near__large_id_last", "error");
        await("odd__mirror");
        await("near__mirror");
    }

    @Test
    @Order(4)
    void aFloodOfNotificationsIsNotInTheWay() {
        McpTalk talk = speak(
                call(1, "odd__flood", "{\"b\":1}"),
                call(2, "near__flood", "{\"b\": 2}"),
                call(3, "far__mirror", "{\"b\":3}"),
                request(4, "ping", "{}"));

        assertThat(talk.text(1)).isEqualTo("{\"b\":1}");
        assertThat(talk.text(2)).isEqualTo("{\"b\": 2}");
        assertThat(talk.text(3)).isEqualTo("{\"b\":3}");
        assertThat(isAnswered(talk, 4)).isTrue();
    }

    @Test
    @Order(5)
    void aServerThatLiesAboutItsSessionGetsANewOne() {
        McpTalk relabelled = speak(call(1, "odd__relabel", "{\"b\":1}"));
        assertThat(relabelled.text(1)).isEqualTo("{\"b\":1}");
        assertThat(speak(call(1, "odd__mirror", "{\"b\":2}")).text(1)).isEqualTo("{\"b\":2}");

        McpTalk forgotten = speak(call(1, "odd__forget", "{}"), call(2, "far__mirror", "{\"b\":3}"));
        assertThat(forgotten.error(1).path("message").asString()).contains("the server forgot the session");
        assertThat(forgotten.text(2)).isEqualTo("{\"b\":3}");
        await("odd__mirror");
    }

    @Test
    @Order(6)
    void aServerThatEndsIsStartedAgain() {
        McpTalk talk = speak(call(1, "near__die", "{}"), call(2, "far__mirror", "{\"b\":2}"));

        assertThat(talk.error(1).path("code").asInt()).isNotEqualTo(TIMED_OUT);
        assertThat(talk.text(2)).isEqualTo("{\"b\":2}");
        await("near__mirror");
    }

    @Test
    @Order(7)
    void aPoisonedToolAndOneThatCameLaterAreAskedAbout() {
        assertThat(speak(call(1, "odd__change", "{}")).answer(1).has("result")).isTrue();
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!offers("odd__novel") && System.nanoTime() < end) {
            Thread.onSpinWait();
        }

        McpTalk talk = speak(
                call(1, "odd__novel", "{}"),
                call(2, "odd__poisoned", "{}"),
                call(3, "odd__mirror", "{\"b\":3}"),
                call(4, "far__mirror", "{\"b\":4}"));

        for (int id = 1; id <= 2; id++) {
            assertThat(talk.error(id).path("data").path("decision").asString())
                    .as("%s", talk.error(id))
                    .isEqualTo("ask");
        }
        assertThat(talk.text(3)).isEqualTo("{\"b\":3}");
        assertThat(talk.text(4)).isEqualTo("{\"b\":4}");
        assertThat(odd.orElseThrow().calls()).doesNotContain("novel", "poisoned");
        assertRecorded("odd__novel", "denied");
        assertRecorded("odd__poisoned", "denied");
        assertThat(sandbox().awaitRows(1, "select * from detection_findings where title like '%poisoned%'"))
                .isNotEmpty();
    }

    @Test
    @Order(8)
    void serversAreReachedThroughTheCompanysProxyAndItsAuthorityCounts() {
        await("safe__mirror");

        assertThat(safe.orElseThrow().calls("mirror")).isNotEmpty();
        assertThat(PROXY.tunnels())
                .isNotEmpty()
                .allMatch(each ->
                        each.equals("safe.example.test:" + safe.orElseThrow().port()));
        assertThat(sandbox().everything()).doesNotContain("open-sesame");
    }

    @Test
    @Order(9)
    void callsAreCounted() {
        String metrics = sandbox().installation().get("/metrics").expect(200).text();

        assertThat(metrics.lines())
                .anyMatch(line -> isSeries(line, "capsem_mcp_calls_total", "server=\"far\"", "decision=\"allowed\""))
                .anyMatch(line -> isSeries(line, "capsem_mcp_calls_total", "server=\"far\"", "decision=\"denied\""))
                .anyMatch(line -> isSeries(line, "capsem_mcp_calls_total", "server=\"odd\"", "decision=\"error\""))
                .anyMatch(line -> isSeries(line, "capsem_mcp_call_duration_ms_count", "sandbox="))
                .anyMatch(line -> isSeries(line, "capsem_mcp_requests_in_flight", "sandbox="))
                .anyMatch(line -> isSeries(line, "capsem_mcp_aggregator_restarts_total", "sandbox="));
    }

    private static boolean isSeries(String line, String name, String... labels) {
        return line.startsWith(name + "{") && Arrays.stream(labels).allMatch(line::contains);
    }

    private static boolean offers(String tool) {
        return speak(request(1, "tools/list", "{}")).answer(1).toString().contains(tool);
    }
}
