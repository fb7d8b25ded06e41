package dev.capsem.backends.aggregator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.backends.FakeMcpServer;
import dev.capsem.backends.http.HttpClient;
import dev.capsem.backends.io.Connector;
import dev.capsem.backends.io.DirectDialer;
import dev.capsem.backends.line.EventLog;
import dev.capsem.backends.line.LineWriter;
import dev.capsem.wire.aggregator.AggregatorProtocol;
import dev.capsem.wire.json.Json;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Collections;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The degradation table, row by row, against servers that misbehave on purpose.
@Timeout(120)
@Tag("sockets")
class AggregatorTest {
    private final ByteArrayOutputStream logged = new ByteArrayOutputStream();
    private Pipe input;
    private Pipe output;
    private OutputStream lines;
    private BufferedReader replies;
    private Thread running;
    private FakeMcpServer server;

    @BeforeEach
    void start() throws IOException {
        server = new FakeMcpServer();
        input = Pipe.open();
        output = Pipe.open();
        lines = Channels.newOutputStream(input.sink());
        replies = new BufferedReader(
                new InputStreamReader(Channels.newInputStream(output.source()), StandardCharsets.UTF_8));
        Aggregator aggregator = new Aggregator(
                new LineWriter(Channels.newOutputStream(output.sink())),
                new HttpClient(new Connector(new DirectDialer(), (SSLSocketFactory) SSLSocketFactory.getDefault())),
                new EventLog(new PrintStream(logged, true, StandardCharsets.UTF_8), InstantSource.system()));
        running = Thread.ofPlatform().start(() -> aggregator.run(Channels.newInputStream(input.source())));
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        input.sink().close();
        running.join(10_000);
        output.source().close();
    }

    @Test
    void someServersFailAndTheOthersWork() throws Exception {
        say("[" + definition("good", server.url()) + "," + definition("dead", "http://127.0.0.1:1/mcp")
                + ",{\"name\":\"program\",\"unsupported_stdio\":true},{\"name\":\"off\",\"enabled\":false,\"url\":\"http://x/\"},"
                + definition("a__b", server.url()) + "," + definition("builtin", server.url()) + "]");

        JsonNode servers = ask("{\"id\":1,\"method\":\"list_servers\"}").get("servers");

        assertThat(servers.valueStream().map(status -> status.get("name").asString() + " " + status.get("connected")))
                .containsExactly("dead false", "good true", "off false", "program false");
        assertThat(ask("{\"id\":2,\"method\":\"list_tools\"}")
                        .at("/tools/0/namespaced_name")
                        .asString())
                .isEqualTo("good__echo");
        assertThat(call(3, "good__echo").at("/result/content/0/text").asString())
                .isEqualTo("{\"a\":1}");
        assertThat(call(4, "dead__echo").get("error").asString()).isEqualTo("MCP server not running: dead");
        assertThat(call(5, "nobody__echo").get("error").asString()).isEqualTo("server not found: nobody");
        assertThat(call(6, "echo").get("error").asString()).isEqualTo("invalid namespaced tool name: echo");
        assertThat(servers.get(3).get("error").asString()).contains("capabilities");
        assertThat(logged.toString(StandardCharsets.UTF_8)).contains("server.connect.failed");
    }

    @Test
    void brokenLinesAreSkippedAndTheLoopGoesOn() throws Exception {
        say("[" + definition("good", server.url()) + "]");
        say("this is not JSON");
        say("{\"id\":1,\"method\":\"format_disk\"}");
        say("{\"id\":1,\"x\":\"" + "y".repeat(AggregatorProtocol.LINE_BYTES_MAX) + "\"}");

        assertThat(call(2, "good__echo").has("result")).isTrue();
        assertThat(logged.toString(StandardCharsets.UTF_8)).contains("line.skipped");
    }

    @Test
    void aSlowCallHoldsUpNobodyAndCanBeCancelled() throws Exception {
        server.behaviours.put("hang", (exchange, request) -> awaitRelease());
        say("[" + definition("good", server.url()) + "]");
        say("{\"id\":1,\"method\":\"call_tool\",\"params\":{\"name\":\"good__hang\",\"arguments\":{}}}");

        assertThat(call(2, "good__echo").has("result")).isTrue();
        // What was never sent would need no cancellation.
        while (Collections.frequency(server.log, "tools/call") < 2) {
            Thread.sleep(10);
        }
        say("{\"id\":3,\"method\":\"cancel\",\"params\":{\"call\":1}}");

        JsonNode first = reply();
        JsonNode second = reply();
        assertThat(first.get("id").asInt() + second.get("id").asInt()).isEqualTo(4);
        JsonNode cancelled = first.get("id").asInt() == 1 ? first : second;
        assertThat(cancelled.get("error").asString()).isEqualTo("cancelled");
        while (!server.log.contains("notifications/cancelled")) {
            Thread.sleep(10);
        }
    }

    @Test
    void answersThatAreNotAnswersFailTheirCallOnly() throws Exception {
        server.behaviours.put(
                "garbage",
                (exchange, request) ->
                        FakeMcpServer.raw(exchange, "application/json", "<html>".getBytes(StandardCharsets.UTF_8)));
        server.behaviours.put(
                "wrong_id",
                (exchange, request) -> FakeMcpServer.raw(
                        exchange,
                        "application/json",
                        "{\"jsonrpc\":\"2.0\",\"id\":99999,\"result\":{}}".getBytes(StandardCharsets.UTF_8)));
        server.behaviours.put(
                "flood", (exchange, request) -> FakeMcpServer.raw(exchange, "application/json", new byte[2_000_000]));
        server.behaviours.put(
                "html",
                (exchange, request) ->
                        FakeMcpServer.raw(exchange, "text/html", "<html>".getBytes(StandardCharsets.UTF_8)));
        server.behaviours.put("cut", (exchange, request) -> {
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, 1_000);
            exchange.getResponseBody().write('{');
            exchange.close();
        });
        say("[" + definition("good", server.url()) + "]");

        for (String tool : new String[] {"garbage", "wrong_id", "flood", "html"}) {
            assertThat(call(1, "good__" + tool).get("error").asString())
                    .as(tool)
                    .isNotEmpty();
        }
        assertThat(call(2, "good__echo").has("result")).isTrue();
        assertThat(call(3, "good__cut").get("error").asString()).isNotEmpty();
        assertThat(call(4, "good__echo").has("result")).isTrue();
    }

    @Test
    void aResultTooLargeForALineFailsItsCallOnly() throws Exception {
        server.behaviours.put(
                "large",
                (exchange, request) -> FakeMcpServer.json(
                        exchange, request, Json.object().put("text", "x".repeat(AggregatorProtocol.LINE_BYTES_MAX))));
        say("[" + definition("good", server.url()) + "]");

        assertThat(call(1, "good__large").get("error").asString()).startsWith("result too large: ");
        assertThat(call(2, "good__echo").has("result")).isTrue();
    }

    @Test
    void aStreamIsReadToItsAnswerAndTakenUpAgainWhenItBreaks() throws Exception {
        server.behaviours.put(
                "stream",
                (exchange, request) -> FakeMcpServer.events(
                        exchange,
                        "id: e1\nretry: 10\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\","
                                + "\"params\":{\"level\":\"info\",\"data\":\"d\"}}\n\n"));
        server.behaviours.put("GET", (exchange, request) -> {
            if (!"e1".equals(exchange.getRequestHeaders().getFirst("Last-Event-ID"))) {
                exchange.sendResponseHeaders(405, -1);
                exchange.close();
                return;
            }
            FakeMcpServer.events(
                    exchange, "data: {\"jsonrpc\":\"2.0\",\"id\":" + requestIds() + ",\"result\":{\"ok\":1}}\n\n");
        });
        say("[" + definition("good", server.url()) + "]");
        ask("{\"id\":1,\"method\":\"list_tools\"}");
        say("{\"id\":7,\"method\":\"call_tool\",\"params\":{\"name\":\"good__stream\",\"arguments\":{}}}");

        JsonNode event = reply();
        JsonNode answer = reply();

        assertThat(event.get("event").asString()).isEqualTo("notification");
        assertThat(event.get("call").asInt()).isEqualTo(7);
        assertThat(Json.text(answer)).isEqualTo("{\"id\":7,\"result\":{\"ok\":1}}");
    }

    /// Initialize and the list of tools came before.
    private static int requestIds() {
        return 3;
    }

    @Test
    void aLinkThatACallGaveCanBeRead() throws Exception {
        server.behaviours.put(
                "link",
                (exchange, request) -> FakeMcpServer.json(exchange, request, (ObjectNode) Json.parse(
                        "{\"content\":[{\"type\":\"resource_link\",\"uri\":\"demo://a/1\",\"name\":\"n\"}]}")));
        server.behaviours.put("resources/read", (exchange, request) -> {
            String uri = request.at("/params/uri").asString("");
            FakeMcpServer.json(exchange, request, (ObjectNode)
                    Json.parse("{\"contents\":[{\"uri\":\"" + uri + "\",\"text\":\"inside\"}]}"));
        });
        say("[" + definition("good", server.url()) + "]");

        String link = call(1, "good__link").at("/result/content/0/uri").asString();
        JsonNode read = ask("{\"id\":2,\"method\":\"read_resource\",\"params\":{\"uri\":\"" + link + "\"}}");

        assertThat(link).isEqualTo("capsem://good/demo://a/1");
        assertThat(read.at("/result/contents/0/uri").asString()).isEqualTo(link);
        assertThat(read.at("/result/contents/0/text").asString()).isEqualTo("inside");
    }

    @Test
    void aFloodOfAnnouncementsIsOneLookAtTheList() throws Exception {
        String announcement = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n";
        server.behaviours.put(
                "flood",
                (exchange, request) -> FakeMcpServer.events(
                        exchange,
                        announcement.repeat(5_000) + "data: {\"jsonrpc\":\"2.0\",\"id\":" + request.get("id")
                                + ",\"result\":{\"ok\":1}}\n\n"));
        say("[" + definition("good", server.url()) + "]");

        assertThat(call(1, "good__flood").at("/result/ok").asInt()).isEqualTo(1);
        assertThat(call(2, "good__echo").has("result")).isTrue();
        assertThat(server.log.stream().filter("tools/list"::equals).count())
                .as("not one for each of 5 000")
                .isLessThan(1_000);
    }

    @Test
    void whatChangesWhileItIsListedForTheFirstTimeIsListedAgain() throws Exception {
        server.behaviours.put("tools/list", (exchange, request) -> {
            server.behaviours.remove("tools/list");
            server.tools.add("novel");
            FakeMcpServer.events(
                    exchange,
                    "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n"
                            + "data: {\"jsonrpc\":\"2.0\",\"id\":" + request.get("id")
                            + ",\"result\":{\"tools\":[{\"name\":\"echo\",\"inputSchema\":{}}]}}\n\n");
        });
        say("[" + definition("good", server.url()) + "]");

        assertThat(reply().path("method").asString()).isEqualTo("notifications/tools/list_changed");
        assertThat(Json.text(ask("{\"id\":1,\"method\":\"list_tools\"}"))).contains("good__echo", "good__novel");
    }

    @Test
    void aServerThatDoesNotListItsChangedToolsIsKnownForIt() throws Exception {
        server.behaviours.put("announce", (exchange, request) -> {
            server.behaviours.put(
                    "tools/list",
                    (list, _) -> FakeMcpServer.raw(list, "text/html", "no list".getBytes(StandardCharsets.UTF_8)));
            FakeMcpServer.events(
                    exchange,
                    "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n"
                            + "data: {\"jsonrpc\":\"2.0\",\"id\":" + request.get("id") + ",\"result\":{}}\n\n");
        });
        say("[" + definition("good", server.url()) + "]");
        call(1, "good__announce");

        JsonNode status = good();
        while (!status.has("error")) {
            status = good();
        }

        assertThat(status.path("connected").asBoolean()).isTrue();
        assertThat(status.path("error").asString("")).startsWith("it does not list its tools: ");
        server.behaviours.remove("tools/list");
        while (status.has("error")) {
            status = good();
        }
    }

    private JsonNode good() throws IOException {
        return ask("{\"id\":2,\"method\":\"list_servers\"}").at("/servers/0");
    }

    @Test
    void aReferenceWithTwoMembersReachesNoServer() throws Exception {
        say("[" + definition("good", server.url()) + "]");

        String reference = "{\"type\":\"ref/prompt\",\"name\":\"good__p\",\"uri\":\"capsem://good/x\"}";

        JsonNode refused = ask("{\"id\":1,\"method\":\"complete\",\"params\":{\"ref\":" + reference
                + ",\"argument\":{\"name\":\"a\",\"value\":\"b\"}}}");

        assertThat(refused.path("error").asString("")).contains("not both");
        assertThat(server.log).doesNotContain("completion/complete");
    }

    @Test
    void aForgottenSessionIsMadeAnew() throws Exception {
        say("[" + definition("good", server.url()) + "]");
        assertThat(call(1, "good__echo").has("result")).isTrue();

        server.sessions.incrementAndGet();
        assertThat(call(2, "good__echo").get("error").asString()).isEqualTo("the server forgot the session");

        JsonNode again = call(3, "good__echo");
        for (int i = 4; !again.has("result"); i++) {
            Thread.sleep(50);
            again = call(i, "good__echo");
        }
        assertThat(again.has("result")).isTrue();
    }

    @Test
    void aChallengeBecomesAClearError() throws Exception {
        server.refuseWith = 401;
        say("[" + definition("locked", server.url()) + "]");

        JsonNode status = ask("{\"id\":1,\"method\":\"list_servers\"}").at("/servers/0");

        assertThat(status.get("connected").asBoolean()).isFalse();
        assertThat(status.get("error").asString())
                .startsWith("authorization required (HTTP 401): the server asks for OAuth");
    }

    @Test
    void headersAndTokenGoAlongAndNowhereElse() throws Exception {
        say("[{\"name\":\"good\",\"url\":\"" + server.url()
                + "\",\"headers\":{\"X-Team\":\"blue\",\"Host\":\"evil\"},\"bearer_token\":\"t0ken\"}]");

        String status = Json.text(ask("{\"id\":1,\"method\":\"list_servers\"}"));

        assertThat(server.headers.getFirst().get("Authorization")).containsExactly("Bearer t0ken");
        assertThat(server.headers.getFirst().get("X-team")).containsExactly("blue");
        assertThat(server.headers.getFirst().get("Host")).doesNotContain("evil");
        assertThat(server.headers.getLast().get("Mcp-protocol-version")).containsExactly("2025-06-18");
        assertThat(status + logged.toString(StandardCharsets.UTF_8))
                .doesNotContain("t0ken")
                .doesNotContain("blue");
    }

    @Test
    void onlyAllowedToolsAreListedAndCallable() throws Exception {
        server.tools.add("danger");
        say("[{\"name\":\"good\",\"url\":\"" + server.url() + "\",\"allowed_tools\":[\"echo\"]}]");

        assertThat(ask("{\"id\":1,\"method\":\"list_tools\"}").get("tools")).hasSize(1);
        assertThat(call(2, "good__danger").get("error").asString()).isEqualTo("tool not allowed: good__danger");
        assertThat(server.log).doesNotContain("tools/call");
    }

    @Test
    void refreshSwapsServersWithoutDroppingACall() throws Exception {
        server.behaviours.put("slow", (exchange, request) -> {
            awaitRelease();
            FakeMcpServer.json(exchange, request, Json.object().put("finished", true));
        });
        say("[" + definition("old", server.url()) + "]");
        ask("{\"id\":1,\"method\":\"list_tools\"}");
        say("{\"id\":2,\"method\":\"call_tool\",\"params\":{\"name\":\"old__slow\",\"arguments\":{}}}");
        while (!server.log.contains("tools/call")) {
            Thread.sleep(10);
        }

        try (FakeMcpServer next = new FakeMcpServer()) {
            JsonNode refreshed = ask("{\"id\":3,\"method\":\"refresh\",\"params\":{\"servers\":["
                    + definition("fresh", next.url()) + "]}}");
            assertThat(refreshed.get("ok").asBoolean()).isTrue();
            assertThat(call(4, "fresh__echo").has("result")).isTrue();
            assertThat(call(5, "old__echo").get("error").asString()).isEqualTo("server not found: old");

            server.release.countDown();
            assertThat(ask(2).at("/result/finished").asBoolean()).isTrue();
        }
        while (!logged.toString(StandardCharsets.UTF_8).contains("server.disconnected")) {
            Thread.sleep(10);
        }
        assertThat(logged.toString(StandardCharsets.UTF_8)).doesNotContain("\"level\":\"warn\"");
    }

    @Test
    void longListsComeInPages() throws Exception {
        for (int i = 0; i < 40; i++) {
            server.tools.add("t" + i + "x".repeat(20_000));
        }
        say("[" + definition("good", server.url()) + "]");

        JsonNode first = ask("{\"id\":1,\"method\":\"list_tools\"}");
        JsonNode second = ask("{\"id\":2,\"method\":\"list_tools\",\"params\":{\"cursor\":\""
                + first.get("next_cursor").asString() + "\"}}");

        assertThat(first.get("tools").size() + second.get("tools").size()).isGreaterThan(20);
        assertThat(first.at("/tools/0/namespaced_name")).isNotEqualTo(second.at("/tools/0/namespaced_name"));
    }

    @Test
    void shutdownAnswersAndEnds() throws Exception {
        say("[" + definition("good", server.url()) + "]");
        ask("{\"id\":1,\"method\":\"list_tools\"}");

        assertThat(ask("{\"id\":9,\"method\":\"shutdown\"}").get("ok").asBoolean())
                .isTrue();

        running.join(10_000);
        assertThat(running.isAlive()).isFalse();
        assertThat(server.log).contains("DELETE");
    }

    @Test
    void theEndOfTheInputEndsIt() throws Exception {
        say("[]");

        input.sink().close();

        running.join(10_000);
        assertThat(running.isAlive()).isFalse();
        assertThat(replies.readLine()).isNull();
    }

    private void awaitRelease() {
        try {
            server.release.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String definition(String name, String url) {
        return "{\"name\":\"" + name + "\",\"url\":\"" + url + "\"}";
    }

    private void say(String line) throws IOException {
        lines.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private JsonNode reply() throws IOException {
        return Json.parse(replies.readLine());
    }

    private JsonNode ask(String line) throws IOException {
        say(line);
        return ask(Json.parse(line).get("id").asInt());
    }

    /// The reply with that id; events and others in between are passed over.
    private JsonNode ask(int id) throws IOException {
        while (true) {
            JsonNode reply = reply();
            if (reply.path("id").asInt(-1) == id) {
                return reply;
            }
        }
    }

    /// The first call also waits until the servers were tried.
    private JsonNode call(int id, String tool) throws IOException {
        ask("{\"id\":1000,\"method\":\"list_servers\"}");
        return ask("{\"id\":" + id + ",\"method\":\"call_tool\",\"params\":{\"name\":\"" + tool
                + "\",\"arguments\":{\"a\":1}}}");
    }
}
