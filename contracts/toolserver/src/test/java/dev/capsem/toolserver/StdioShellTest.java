package dev.capsem.toolserver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

class StdioShellTest {
    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);
    private PipedOutputStream toServer;
    private final BlockingQueue<String> fromServer = new LinkedBlockingQueue<>();
    private Thread serving;

    /// Each message comes in one write.
    private final class Lines extends OutputStream {
        @Override
        public void write(int value) {
            throw new AssertionError("a line in pieces");
        }

        @Override
        public void write(byte[] line, int offset, int length) {
            fromServer.add(new String(line, offset, length, StandardCharsets.UTF_8));
        }
    }

    @BeforeEach
    void start() throws IOException {
        McpTool echo = new McpTool(
                "echo",
                "Echo",
                "Says it again.",
                McpTool.Hints.LOOKS,
                ArgumentSchema.of(
                        Argument.required("text", Argument.Text.of(0, 10), "what to say"),
                        Argument.optional("times", Argument.Whole.between(1, 3).orElse(1), "how often")),
                Optional.empty(),
                call -> {
                    String text = call.arguments().text("text");
                    if (text.equals("fail")) {
                        throw new ToolFailure("told_so", "it was told to fail", "say something else");
                    }
                    call.progress(text);
                    return ToolAnswer.of(text, Json.object().put("text", text));
                });
        McpTool wait = new McpTool(
                "wait", "Wait", "Waits.", McpTool.Hints.LOOKS, ArgumentSchema.of(), Optional.empty(), call -> {
                    started.countDown();
                    try {
                        Thread.sleep(60_000);
                    } finally {
                        stopped.countDown();
                    }
                    return ToolAnswer.of("", Json.object());
                });
        Prompt prompt = new Prompt(
                "greet",
                "Greet",
                "Greets.",
                List.of(new Prompt.Blank("who", "whom", true)),
                given -> "Hi " + given.get("who"));
        ToolServer server = new ToolServer(
                new ToolServer.Identity("t", "T", "1", "Use it."),
                List.of(echo, wait),
                failure -> ToolAnswer.failed(failure.code() + ": " + failure.reason(), Json.object()),
                Optional.empty(),
                List.of(prompt));
        PipedInputStream in = new PipedInputStream();
        toServer = new PipedOutputStream(in);
        serving = Thread.ofVirtual().start(() -> {
            try {
                new StdioShell(server, new Lines(), _ -> {}).run(in);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @AfterEach
    void stop() throws Exception {
        toServer.close();
        serving.join();
    }

    @Test
    void answersWithAVersionThatBothKnow() {
        for (String version : List.of("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")) {
            assertThat(initialize(version)).isEqualTo(version);
        }
        assertThat(initialize("2026-07-28")).isEqualTo("2025-11-25");
        assertThat(initialize("1")).isEqualTo("2025-11-25");
    }

    private String initialize(String version) {
        JsonNode result =
                ask("initialize", Json.object().put("protocolVersion", version)).path("result");
        assertThat(result.path("serverInfo").path("name").asString()).isEqualTo("t");
        assertThat(result.path("capabilities").has("tools")).isTrue();
        assertThat(result.path("capabilities").has("resources")).isFalse();
        return result.path("protocolVersion").asString();
    }

    @Test
    void pingsAndListsAndRefusesWhatItDoesNotKnow() {
        assertThat(ask("ping", Json.object()).path("result").isEmpty()).isTrue();
        assertThat(ask("tools/list", Json.object()).path("result").path("tools").size())
                .isEqualTo(2);
        assertThat(ask("tools/list", Json.object().put("cursor", "x"))
                        .path("error")
                        .path("code")
                        .asInt())
                .isEqualTo(-32602);
        assertThat(ask("resources/list", Json.object())
                        .path("error")
                        .path("code")
                        .asInt())
                .isEqualTo(-32601);
        assertThat(ask("no/such", Json.object()).path("error").path("code").asInt())
                .isEqualTo(-32601);
        say("this is not JSON\n");
        assertThat(heard().path("error").path("code").asInt()).isEqualTo(-32700);
    }

    @Test
    void skipsNotificationsAndBlankLines() {
        say("\n  \r\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");

        assertThat(ask("ping", Json.object()).has("result")).isTrue();
    }

    @Test
    void checksArgumentsBeforeTheToolRuns() {
        assertThat(text(call("echo", Json.object()))).startsWith("missing_required_argument: echo needs");
        assertThat(text(call("echo", Json.object().put("text", 5)))).startsWith("invalid_arguments");
        assertThat(text(call("echo", Json.object().put("text", "x").put("times", 4))))
                .contains("between 1 and 3");
        assertThat(text(call("echo", Json.object().put("text", "x").put("tims", 1))))
                .contains("there is no argument \"tims\"");
        assertThat(text(call("echo", Json.object().put("text", "far too long for it"))))
                .contains("longer than 10");
        assertThat(text(call("nope", Json.object()))).startsWith("unknown_tool");
    }

    @Test
    void failuresAreResultsThatSayWhy() {
        JsonNode result = call("echo", Json.object().put("text", "fail"));

        assertThat(result.path("isError").asBoolean()).isTrue();
        assertThat(text(result)).isEqualTo("told_so: it was told to fail");
    }

    @Test
    void reportsProgressBeforeTheResultWhenAsked() {
        ObjectNode params = Json.object().put("name", "echo");
        params.putObject("arguments").put("text", "news");
        params.putObject("_meta").put("progressToken", "p1");
        send(1, "tools/call", params);

        JsonNode progress = heard();
        JsonNode result = heard();

        assertThat(progress.path("method").asString()).isEqualTo("notifications/progress");
        assertThat(progress.path("params").path("progressToken").asString()).isEqualTo("p1");
        assertThat(progress.path("params").path("message").asString()).isEqualTo("news");
        assertThat(result.path("id").asInt()).isEqualTo(1);
    }

    @Test
    void aCancelledCallStopsAndIsNotAnswered() throws Exception {
        send(7, "tools/call", Json.object().put("name", "wait"));
        assertThat(started.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(ask("ping", Json.object()).path("id").asInt()).isEqualTo(99);

        say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}\n");

        assertThat(stopped.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(ask("ping", Json.object()).path("id").asInt()).isEqualTo(99);
    }

    @Test
    void aCallWaitingWhenTheInputEndsIsStillAnswered() throws Exception {
        ObjectNode params = Json.object().put("name", "echo");
        params.putObject("arguments").put("text", "last");
        send(5, "tools/call", params);
        toServer.close();
        serving.join();

        assertThat(heard().path("id").asInt()).isEqualTo(5);
    }

    @Test
    void fillsPrompts() {
        ObjectNode params = Json.object().put("name", "greet");
        assertThat(ask("prompts/get", params).path("error").path("code").asInt())
                .isEqualTo(-32602);

        params.putObject("arguments").put("who", "you");
        JsonNode message =
                ask("prompts/get", params).path("result").path("messages").path(0);

        assertThat(message.path("content").path("text").asString()).isEqualTo("Hi you");
    }

    private JsonNode call(String tool, ObjectNode arguments) {
        ObjectNode params = Json.object().put("name", tool);
        params.set("arguments", arguments);
        return ask("tools/call", params).path("result");
    }

    private static String text(JsonNode result) {
        return result.path("content").path(0).path("text").asString();
    }

    private JsonNode ask(String method, ObjectNode params) {
        send(99, method, params);
        return heard();
    }

    private void send(int id, String method, ObjectNode params) {
        ObjectNode message = Json.object().put("jsonrpc", "2.0").put("id", id).put("method", method);
        message.set("params", params);
        say(Json.text(message) + "\n");
    }

    private void say(String lines) {
        try {
            toServer.write(lines.getBytes(StandardCharsets.UTF_8));
            toServer.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private JsonNode heard() {
        try {
            return Json.parse(Objects.requireNonNull(fromServer.poll(60, TimeUnit.SECONDS), "no answer in time"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
