package dev.capsem.hostmcp.tools;

import dev.capsem.client.io.ServiceCallException;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.ExecRequest;
import dev.capsem.wire.service.ServiceError;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// A service that writes down what it is asked and answers as it was told.
final class FakeHost implements ServicePort {
    private final List<String> asked = new ArrayList<>();
    private final Map<String, byte[]> files = new HashMap<>();
    private Optional<ServiceCallException> refusal = Optional.empty();
    private JsonNode answer = Json.object().put("success", true);
    private List<ExecEvent> events = List.of();

    /// One line for each request: method, target, body.
    List<String> asked() {
        return asked;
    }

    void answers(JsonNode json) {
        this.answer = json;
    }

    void answers(List<ExecEvent> commandEvents) {
        this.events = commandEvents;
    }

    void refuses(int status, ServiceError error) {
        this.refusal = Optional.of(new ServiceCallException(status, error));
    }

    @Override
    public JsonNode get(String target) {
        return noted("GET " + target);
    }

    @Override
    public JsonNode post(String target, ObjectNode body) {
        return noted("POST " + target + " " + Json.text(body));
    }

    @Override
    public JsonNode delete(String target) {
        return noted("DELETE " + target);
    }

    @Override
    public String text(String target) {
        return noted("GET " + target).path("text").asString("");
    }

    @Override
    public byte[] readFile(String id, String path) {
        noted("READ " + id + " " + path);
        return files.getOrDefault(path, new byte[0]);
    }

    @Override
    public void writeFile(String id, String path, byte[] content) {
        noted("WRITE " + id + " " + path + " " + new String(content, StandardCharsets.UTF_8));
        files.put(path, content);
    }

    @Override
    public void command(String target, ExecRequest request, Consumer<ExecEvent> told) {
        noted("COMMAND " + target + " " + Json.text(request.toJson()));
        events.forEach(told);
    }

    private JsonNode noted(String line) {
        asked.add(line);
        if (refusal.isPresent()) {
            throw refusal.get();
        }
        return answer;
    }
}
