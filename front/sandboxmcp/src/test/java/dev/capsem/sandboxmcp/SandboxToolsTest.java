package dev.capsem.sandboxmcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.capsem.sandboxmcp.io.BearerToken;
import dev.capsem.sandboxmcp.io.HttpSandboxServerClient;
import dev.capsem.sandboxmcp.io.HttpTransport;
import dev.capsem.sandboxmcp.tools.SandboxTools;
import dev.capsem.toolserver.ServerSession;
import dev.capsem.toolserver.ToolServer;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.jsonrpc.JsonRpcId;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Request;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Result;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

@Tag("sockets")
class SandboxToolsTest {
    private static final String TOKEN = "tok-very-secret-1";

    private record Asked(String line, String authorization, String key, JsonNode body) {}

    private record Canned(int status, String body) {}

    private final List<Asked> asked = new CopyOnWriteArrayList<>();
    private final Map<String, Canned> answers = new HashMap<>();
    private HttpServer backend;
    private ServerSession session;
    private ToolServer server;

    @BeforeEach
    void start() throws IOException {
        backend = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        backend.createContext("/", this::handle);
        backend.start();
        URI base = URI.create("http://127.0.0.1:" + backend.getAddress().getPort());
        server = SandboxTools.server(
                new HttpSandboxServerClient(base, Optional.of(new BearerToken(TOKEN))), new SecureRandom(), true, "9");
        session = new ServerSession(server, _ -> {});
    }

    @AfterEach
    void stop() {
        backend.stop(0);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            String line = exchange.getRequestMethod() + " " + exchange.getRequestURI();
            asked.add(new Asked(
                    line,
                    String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")),
                    String.valueOf(exchange.getRequestHeaders().getFirst("Idempotency-Key")),
                    body.length == 0 ? Json.object() : Json.parse(body)));
            Canned answer = answers.getOrDefault(line, new Canned(200, "{}"));
            byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    @Test
    void createsWithAnIdOfItsOwn() {
        JsonNode result = call("sandbox_create", "{\"pool\":\"default\"}");

        assertThat(asked).hasSize(1);
        Asked request = asked.getFirst();
        String id = request.body().path("id").asString();
        assertThat(request.line()).isEqualTo("POST /v1/fork");
        assertThat(request.authorization()).isEqualTo("Bearer " + TOKEN);
        assertThat(request.key()).matches("[0-9a-f]{32}");
        assertThat(request.body().path("template").asString()).isEqualTo("default");
        assertThat(id).matches("sbx-[0-9a-f]{32}");
        assertThat(text(result)).isEqualTo(id);
    }

    @Test
    void theServersIdWins() {
        answers.put("POST /v1/fork", new Canned(200, "{\"id\":\"theirs\"}"));

        assertThat(text(call("sandbox_create", "{\"pool\":\"p\"}"))).isEqualTo("theirs");
    }

    @Test
    void execStreamsAndAnswersWithTheThreeMembers() {
        answers.put("POST /v1/exec/stream", new Canned(200, """
                {"type":"started","id":"a","pid":3}
                {"type":"stdout","data":"hello"}
                {"type":"alive"}
                {"type":"stderr","data":"d2Fybg==","encoding":"base64"}
                {"type":"exit","exit_code":3,"exec_time_ms":4,"timed_out":false}
                """));

        JsonNode result = call("sandbox_exec", "{\"sandbox\":\"a\",\"command\":\"echo hi\",\"timeout_seconds\":9}");

        assertThat(text(result)).isEqualTo("{\"exit_code\":3,\"stdout\":\"hello\",\"stderr\":\"warn\"}");
        assertThat(Json.text(asked.getFirst().body()))
                .isEqualTo("{\"sandbox\":\"a\",\"command\":\"echo hi\",\"timeout\":9}");
    }

    @Test
    void anOlderServerRunsCommandsWithoutAStream() {
        answers.put("POST /v1/exec/stream", new Canned(404, "404 page not found"));
        answers.put(
                "POST /v1/exec",
                new Canned(200, "{\"exit_code\":0,\"stdout\":\"" + "x".repeat(2 * 1_048_576) + "\",\"stderr\":\"\"}"));

        JsonNode result = call("sandbox_exec", "{\"sandbox\":\"a\",\"command\":\"x\"}");

        assertThat(result.path("structuredContent").path("stdout").asString())
                .hasSize(1_048_576 + 33)
                .endsWith("\n[exec output truncated at 1 MiB]");
    }

    @Test
    void filesKeepEveryByte() {
        answers.put(
                "POST /v1/files/read", new Canned(200, "{\"content\":\"/wAB\",\"encoding\":\"base64\",\"size\":3}"));

        JsonNode result = call("sandbox_read_file", "{\"sandbox\":\"a\",\"path\":\"/b\"}");
        JsonNode written = call(
                "sandbox_write_file",
                "{\"sandbox\":\"a\",\"path\":\"/b\",\"content\":\"/wAB\",\"encoding\":\"base64\"}");
        call("sandbox_write_file", "{\"sandbox\":\"a\",\"path\":\"/c\",\"content\":\"\"}");

        assertThat(result.path("structuredContent").path("encoding").asString()).isEqualTo("base64");
        assertThat(result.path("structuredContent").path("size").asInt()).isEqualTo(3);
        assertThat(text(written)).isEqualTo("Wrote 3 bytes to /b in sandbox a");
        assertThat(Json.text(asked.get(1).body()))
                .isEqualTo("{\"sandbox\":\"a\",\"path\":\"/b\",\"content\":\"/wAB\",\"encoding\":\"base64\"}");
        assertThat(asked.get(2).body().path("content").asString("absent")).isEmpty();
    }

    @Test
    void forksByTheLiveRoute() {
        JsonNode result = call("sandbox_fork", "{\"sandbox\":\"a\",\"replicas\":3}");

        assertThat(Json.parse(text(result)).size()).isEqualTo(3);
        assertThat(asked).hasSize(3).allSatisfy(request -> {
            assertThat(request.line()).isEqualTo("POST /v1/sandboxes/a/fork");
            assertThat(request.body().path("pause_source").asBoolean()).isTrue();
        });
        assertThat(asked.stream().map(Asked::key).distinct()).hasSize(3);
    }

    @Test
    void forksFromTemplatesWhereThereIsNoLiveRoute() {
        answers.put(
                "POST /v1/sandboxes/a/fork",
                new Canned(404, "{\"error\":{\"code\":\"not_found\",\"message\":\"there is no such route\"}}"));

        call("sandbox_fork", "{\"sandbox\":\"a\",\"replicas\":2}");

        assertThat(asked.stream().map(Asked::line))
                .containsExactly("POST /v1/sandboxes/a/fork", "POST /v1/fork", "POST /v1/fork");
        assertThat(asked.get(1).body().path("template").asString()).isEqualTo("a");
    }

    @Test
    void aMissingSandboxIsNoMissingRoute() {
        answers.put(
                "POST /v1/sandboxes/a/fork",
                new Canned(
                        404,
                        "{\"error\":{\"code\":\"not_found\",\"message\":\"there is no such sandbox\","
                                + "\"cause\":\"it ended\",\"remediation\":\"list them\"}}"));

        JsonNode failure = failure(call("sandbox_fork", "{\"sandbox\":\"a\"}"));

        assertThat(asked).hasSize(1);
        assertThat(failure.path("code").asString()).isEqualTo("not_found");
        assertThat(failure.path("cause").asString()).contains("status 404", "there is no such sandbox: it ended");
        assertThat(failure.path("remediation").asString()).isEqualTo("list them");
    }

    @Test
    void halfAForkIsTakenBack() {
        answers.put("POST /v1/sandboxes/a/fork", new Canned(404, "404 page not found"));
        List<String> ids = new ArrayList<>();
        backend.removeContext("/");
        backend.createContext("/", exchange -> {
            if (exchange.getRequestURI().getPath().equals("/v1/fork") && ids.size() == 2) {
                answers.put("POST /v1/fork", new Canned(503, "full"));
            }
            handle(exchange);
            if (exchange.getRequestURI().getPath().equals("/v1/fork")) {
                ids.add(asked.getLast().body().path("id").asString());
            }
        });

        JsonNode failure = failure(call("sandbox_fork", "{\"sandbox\":\"a\",\"replicas\":4}"));

        assertThat(failure.path("cause").asString()).contains("after 2 copies", "terminated again");
        assertThat(asked.stream().map(Asked::line).filter(line -> line.startsWith("DELETE")))
                .containsExactlyInAnyOrder("DELETE /v1/sandboxes/" + ids.get(0), "DELETE /v1/sandboxes/" + ids.get(1));
    }

    @Test
    void badIdsReachNobody() {
        for (String id : List.of("../../x", "../etc/passwd", "", "sbx/bad", "sbx..bad", "-x")) {
            for (String tool : List.of("sandbox_exec", "sandbox_read_file", "sandbox_fork", "sandbox_terminate")) {
                ObjectNode arguments = Json.object().put("sandbox", id);
                if (tool.equals("sandbox_exec")) {
                    arguments.put("command", "x");
                } else if (tool.equals("sandbox_read_file")) {
                    arguments.put("path", "/x");
                }
                assertThat(failure(call(tool, Json.text(arguments)))
                                .path("code")
                                .asString())
                        .isEqualTo("invalid_arguments");
            }
        }
        assertThat(asked).isEmpty();
    }

    @Test
    void anEchoedTokenIsRedacted() {
        answers.put("DELETE /v1/sandboxes/a", new Canned(401, "who is " + TOKEN + "?"));
        answers.put(
                "POST /v1/files/read",
                new Canned(403, "{\"error\":{\"code\":\"forbidden\",\"message\":\"" + TOKEN + " may not\"}}"));

        JsonNode terminated = call("sandbox_terminate", "{\"sandbox\":\"a\"}");
        JsonNode read = call("sandbox_read_file", "{\"sandbox\":\"a\",\"path\":\"/x\"}");

        assertThat(Json.text(terminated)).contains("[REDACTED]", "status 401").doesNotContain(TOKEN);
        assertThat(Json.text(read)).contains("forbidden").doesNotContain(TOKEN);
    }

    @Test
    void aDeadServerIsNamed() {
        backend.stop(0);

        JsonNode failure = failure(call("sandbox_terminate", "{\"sandbox\":\"a\"}"));

        assertThat(failure.path("code").asString()).isEqualTo("backend_error");
        assertThat(failure.path("remediation").asString()).contains("is the sandbox server up");
    }

    @Test
    void workspacesAreDispatched() {
        answers.put("GET /v1/workspaces", new Canned(200, "[{\"name\":\"w\"}]"));

        call("workspace_create", "{\"name\":\"w\"}");
        JsonNode list = call("workspace_list", "{}");
        call("workspace_attach", "{\"sandbox\":\"a\",\"workspace\":\"w\"}");
        call("workspace_delete", "{\"name\":\"w\"}");

        assertThat(asked.stream().map(Asked::line))
                .containsExactly(
                        "POST /v1/workspaces",
                        "GET /v1/workspaces",
                        "POST /v1/workspaces/w/attach",
                        "DELETE /v1/workspaces/w");
        assertThat(text(list)).isEqualTo("[{\"name\":\"w\"}]");
    }

    @Test
    void resourcesAreFilesAndLogs() {
        answers.put("GET /v1/sandboxes", new Canned(200, "[{\"id\":\"a\"},{\"id\":\"../x\"}]"));
        answers.put("POST /v1/files/read", new Canned(200, "{\"content\":\"hi\",\"size\":2}"));
        answers.put("POST /v1/exec/stream", new Canned(200, """
                {"type":"stdout","data":"out\\n"}
                {"type":"exit","exit_code":0,"timed_out":false}
                """));
        call("sandbox_exec", "{\"sandbox\":\"a\",\"command\":\"run it\"}");

        JsonNode list = ask("resources/list", Json.object());
        JsonNode file = ask("resources/read", Json.object().put("uri", "mitos://sandboxes/a/files/root/a%20b"));
        JsonNode log = ask("resources/read", Json.object().put("uri", "mitos://sandboxes/a/log"));

        assertThat(list.path("resources").size()).isEqualTo(1);
        assertThat(file.path("contents").path(0).path("text").asString()).isEqualTo("hi");
        assertThat(asked.getLast().body().path("path").asString()).isEqualTo("/root/a b");
        assertThat(log.path("contents").path(0).path("text").asString()).isEqualTo("$ run it\nout\n[exit code 0]\n");
    }

    @Test
    void httpClientsOfThisHostOnly() throws Exception {
        try (var transport = HttpTransport.start(0, Optional.empty(), server, _ -> {});
                var client = HttpClient.newHttpClient()) {
            String hello = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}";
            HttpResponse<String> opened = post(client, transport.address(), hello, Map.of());
            String id = opened.headers().firstValue("Mcp-Session-Id").orElseThrow();

            assertThat(opened.statusCode()).isEqualTo(200);
            assertThat(post(client, transport.address(), hello, Map.of("Origin", "https://evil.example"))
                            .statusCode())
                    .isEqualTo(403);
            String list = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}";
            assertThat(post(client, transport.address(), list, Map.of()).statusCode())
                    .isEqualTo(400);
            assertThat(post(client, transport.address(), list, Map.of("Mcp-Session-Id", "x"))
                            .statusCode())
                    .isEqualTo(404);
            assertThat(post(client, transport.address(), list, Map.of("Mcp-Session-Id", id))
                            .body())
                    .contains("sandbox_create");
            String create =
                    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"sandbox_create\","
                            + "\"arguments\":{\"pool\":\"p\"}}}";
            HttpResponse<String> called = post(client, transport.address(), create, Map.of("Mcp-Session-Id", id));
            assertThat(called.headers().firstValue("Content-Type")).contains("text/event-stream");
            assertThat(called.body()).contains("data: ", "\"text\":\"sbx-");
        }
    }

    @Test
    void whereThereIsAPasswordNothingElsePasses() throws Exception {
        Optional<BearerToken> password = Optional.of(new BearerToken("right"));
        try (var transport = HttpTransport.start(0, password, server, _ -> {});
                var client = HttpClient.newHttpClient()) {
            String hello = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}";

            assertThat(post(client, transport.address(), hello, Map.of()).statusCode())
                    .isEqualTo(401);
            for (String wrong :
                    List.of("Bearer wrong", "Bearer right2", "Bearer righ", "Basic right", "right", "Bearer ")) {
                HttpResponse<String> refused = post(client, transport.address(), hello, Map.of("Authorization", wrong));
                assertThat(refused.statusCode()).as(wrong).isEqualTo(401);
                assertThat(refused.headers().firstValue("Mcp-Session-Id")).isEmpty();
            }
            assertThat(post(client, transport.address(), hello, Map.of("Authorization", "Bearer right"))
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    /// A page in a browser whose name was made to lead here says that name as its host.
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1,200",
        "localhost:1,200",
        "[::1]:9,200",
        "evil.example.test,403",
        "127.0.0.1.example.test,403",
        "localhost.example.test:80,403",
        "'',403"
    })
    void onlyHostsOfThisMachineAreAnswered(String host, int status) throws Exception {
        try (var transport = HttpTransport.start(0, Optional.empty(), server, _ -> {});
                var socket = new Socket(
                        InetAddress.getLoopbackAddress(), transport.address().getPort())) {
            String hello = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}";
            String head = "POST /mcp HTTP/1.1\r\nHost: " + host
                    + "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
                    + "Connection: close\r\nContent-Length: " + hello.length() + "\r\n\r\n";
            socket.getOutputStream().write((head + hello).getBytes(StandardCharsets.UTF_8));

            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(answer).startsWith("HTTP/1.1 " + status + " ");
            assertThat(answer.contains("serverInfo")).isEqualTo(status == 200);
        }
    }

    private static HttpResponse<String> post(HttpClient client, URI uri, String body, Map<String, String> headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        headers.forEach(request::header);
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private JsonNode call(String tool, String arguments) {
        ObjectNode params = Json.object().put("name", tool);
        params.set("arguments", Json.parse(arguments));
        return ask("tools/call", params);
    }

    private JsonNode ask(String method, ObjectNode params) {
        List<JsonRpcMessage> sent = new ArrayList<>();
        session.answer(new Request(JsonRpcId.of(1), method, Optional.of(params)), sent::add);
        return ((Result) sent.getLast()).result();
    }

    private static String text(JsonNode result) {
        assertThat(result.path("isError").asBoolean(false)).as("%s", result).isFalse();
        return result.path("content").path(0).path("text").asString();
    }

    private static JsonNode failure(JsonNode result) {
        assertThat(result.path("isError").asBoolean()).as("%s", result).isTrue();
        JsonNode envelope =
                Json.parse(result.path("content").path(0).path("text").asString());
        assertThat(envelope.path("cause").asString()).isNotEmpty();
        assertThat(envelope.path("remediation").asString()).isNotEmpty();
        return envelope;
    }
}
