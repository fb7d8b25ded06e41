package dev.capsem.testkit.llm;

import dev.capsem.testkit.http.Exchange;
import dev.capsem.testkit.http.HttpOrigin;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Anthropic Messages with a plan: as long as steps are left, each answer calls the next tool; then it says
/// [ModelApi#TEXT]. Which step is next is told by the results that the conversation holds, so repeated requests
/// are harmless.
public final class ScriptedModel implements HttpOrigin.Handler {
    private static final JsonMapper JSON = new JsonMapper();

    private final List<Step> steps;
    private final List<String> results = new CopyOnWriteArrayList<>();

    /// @param arguments a JSON object
    public record Step(String tool, String arguments) {}

    public ScriptedModel(List<Step> steps) {
        this.steps = List.copyOf(steps);
    }

    /// What the tools answered, in order, as far as it was sent back.
    public List<String> results() {
        return List.copyOf(results);
    }

    @Override
    public void handle(Exchange exchange) throws IOException {
        byte[] body = exchange.bodyBytes();
        if (!exchange.path().endsWith("/v1/messages") || body.length == 0) {
            exchange.reply(200, "application/json", "{\"input_tokens\": 1}");
            return;
        }
        JsonNode request = JSON.readTree(body);
        List<String> told = told(request);
        boolean isPlanned = request.path("tools").size() > 0;
        if (isPlanned && told.size() > results.size()) {
            results.addAll(told.subList(results.size(), told.size()));
        }
        boolean isOver = !isPlanned || told.size() >= steps.size();
        Step step = isOver ? new Step("", "{}") : steps.get(told.size());
        var turn = new ModelApi.Turn(
                told.size() + 1,
                request.path("model").asString(""),
                step.tool(),
                step.arguments(),
                isOver ? ModelApi.TURN_WITH_TEXT : ModelApi.TURN_WITH_TOOL);
        boolean isStream = request.path("stream").asBoolean(false);
        String type = isStream ? "text/event-stream; charset=utf-8" : "application/json";
        try (OutputStream out = exchange.chunked(200, Map.of("content-type", type))) {
            for (String part : new AnthropicDialect().answer(turn, isStream)) {
                out.write(part.getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
        }
    }

    private static List<String> told(JsonNode request) {
        List<String> told = new ArrayList<>();
        for (JsonNode message : request.path("messages")) {
            for (JsonNode block : message.path("content")) {
                if (block.path("type").asString("").equals("tool_result")) {
                    told.add(block.path("content").toString());
                }
            }
        }
        return told;
    }
}
