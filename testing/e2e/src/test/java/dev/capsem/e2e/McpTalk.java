package dev.capsem.e2e;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Installation.Executed;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/// What the relay inside a sandbox answers to a client that says all it has to say and is gone after the last answer.
///
/// @param answers by id, in the order in which they came
record McpTalk(Map<Integer, JsonNode> answers) {
    static McpTalk speak(NetSandbox sandbox, String... requests) {
        List<String> lines = new ArrayList<>();
        lines.add(request(
                0,
                "initialize",
                "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
                        + "\"clientInfo\":{\"name\":\"test\",\"version\":\"1\"}}"));
        lines.add("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        lines.addAll(List.of(requests));
        Executed done = sandbox.exec(
                "cat >/tmp/asked <<'END'\n" + String.join("\n", lines) + "\nEND\ncapsem-mcp-server </tmp/asked");
        assertThat(done.exitCode()).as("%s%s", done.stdout(), done.stderr()).isZero();
        Map<Integer, JsonNode> answers = new LinkedHashMap<>();
        done.stdout()
                .lines()
                .map(Installation.JSON::readTree)
                .filter(line -> line.has("id"))
                .forEach(line -> assertThat(answers.put(line.path("id").asInt(), line))
                        .as("answered once: %s", line)
                        .isNull());
        return new McpTalk(answers);
    }

    static String request(int id, String method, String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":%s}".formatted(id, method, params);
    }

    static String call(int id, String tool, String arguments) {
        return request(id, "tools/call", "{\"name\":\"%s\",\"arguments\":%s}".formatted(tool, arguments));
    }

    JsonNode answer(int id) {
        return requireNonNull(answers.get(id), () -> "no answer " + id + " in " + answers);
    }

    String text(int id) {
        return answer(id).path("result").path("content").path(0).path("text").asString();
    }

    JsonNode error(int id) {
        JsonNode error = answer(id).path("error");
        assertThat(error.isObject()).as("an error: %s", answer(id)).isTrue();
        return error;
    }
}
