package dev.capsem.service.rules;

import dev.capsem.events.About;
import dev.capsem.security.condition.Gaps;
import dev.capsem.service.rules.RecordedEvents.Told;
import dev.capsem.telemetry.read.SessionReader.Evidence;
import dev.capsem.wire.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Calls of models and their replies, as `model_calls` and what belongs to it tell of them.
final class RecordedModels {
    /// Longer texts of model traffic are cut in the record.
    private static final int KEPT_BYTES_MAX = 64 * 1024;

    private RecordedModels() {}

    static Told request(ObjectNode row) {
        ObjectNode out = Json.object();
        return new Told(out, addRequest(out, row));
    }

    /// A request that never became a call: the event itself names provider and model, the rest is what the HTTP request
    /// that carried it said.
    static Optional<Told> blocked(ObjectNode carrier, Evidence evidence) {
        String subject = evidence.event().path("subject").asString("");
        int blank = subject.indexOf(' ');
        if (blank <= 0) {
            return Optional.empty();
        }
        ObjectNode out = Json.object();
        ObjectNode body = RecordedHttp.requestBody(carrier);
        Optional<JsonNode> json = RecordedText.json(body.path("text").asString(""));
        ObjectNode request = out.putObject("request")
                .put("provider", subject.substring(0, blank))
                .put("api_family", "unknown")
                .put(
                        "stream",
                        json.map(said -> said.path("stream").asBoolean(false)).orElse(false));
        String model = subject.substring(blank + 1);
        if (!model.equals(About.NO_MODEL)) {
            request.put("model", model);
        }
        request.set("body", body);
        List<String> unknown = new ArrayList<>(List.of("model.request.api_family", "model.request.tool_results"));
        if (json.isEmpty()) {
            unknown.add("model.request.stream");
        }
        return Optional.of(new Told(out, Gaps.at(unknown)));
    }

    static Told response(ObjectNode row) {
        ObjectNode out = Json.object();
        Gaps gaps = addRequest(out, row);
        ObjectNode response = out.putObject("response");
        List<String> unknown = new ArrayList<>();
        // Where request and reply both name a model, the row keeps the request's.
        if (interaction(row).path("request_model").isString()) {
            unknown.add("model.response.model");
        } else {
            RecordedEvents.copy(row, "model", response, "model");
        }
        RecordedEvents.copy(row, "stop_reason", response, "stop_reason");
        String text = row.path("text_content").asString("");
        boolean isParsed =
                interaction(row).path("parse_status").asString("complete").equals("complete");
        response.set("body", isKept(text) && isParsed ? text(text) : redacted());
        for (String count : new String[] {"input_tokens", "output_tokens"}) {
            if (row.has(count)) {
                response.put(count, row.path(count).asLong());
            }
        }
        if (!addToolCalls(response, row)) {
            unknown.add("model.response.tool_calls");
        }
        return new Told(out, gaps.with(unknown));
    }

    private static Gaps addRequest(ObjectNode out, ObjectNode row) {
        JsonNode interaction = interaction(row);
        ObjectNode request = out.putObject("request")
                .put("provider", provider(row, interaction))
                .put("api_family", interaction.path("api_family").asString("unknown"))
                .put("stream", row.path("stream").asInt(0) != 0);
        if (interaction.path("request_model").isString()) {
            request.put("model", interaction.path("request_model").asString());
        }
        request.set(
                "body",
                RecordedText.body(
                        row.path("request_body_preview").asString(""),
                        row.path("request_bytes").asLong(0),
                        false,
                        Optional.of("application/json")));
        ArrayNode results = request.putArray("tool_results");
        boolean isWhole = true;
        for (JsonNode result : row.path("tool_responses")) {
            String content = result.path("content_preview").asString("");
            isWhole &= isKept(content);
            results.addObject()
                    .put("tool_call_id", result.path("call_id").asString())
                    .put("content", content)
                    .put("is_error", result.path("is_error").asInt(0) != 0);
        }
        return isWhole ? Gaps.NONE : Gaps.at(List.of("model.request.tool_results"));
    }

    /// The normalized table has no word for most providers; rules know them by the id of the call.
    private static String provider(ObjectNode row, JsonNode interaction) {
        String normalized = interaction.path("provider").asString("unknown");
        return normalized.equals("unknown") ? row.path("provider").asString() : normalized;
    }

    /// False if the arguments of one are not known.
    private static boolean addToolCalls(ObjectNode response, ObjectNode row) {
        ArrayNode calls = response.putArray("tool_calls");
        boolean isWhole = true;
        for (JsonNode call : row.path("tool_calls")) {
            String written = call.path("arguments").asString("");
            Optional<JsonNode> arguments = RecordedText.json(written);
            isWhole &= isKept(written);
            ObjectNode out = calls.addObject()
                    .put("tool_call_id", call.path("call_id").asString())
                    .put("name", call.path("tool_name").asString())
                    .put("origin", call.path("origin").asString("native"));
            arguments.ifPresent(value -> out.set("arguments", value));
        }
        return isWhole;
    }

    private static JsonNode interaction(ObjectNode row) {
        return row.path("ai_model_interactions").path(0);
    }

    private static boolean isKept(String text) {
        // A text of just that length may have been cut within a character.
        return text.getBytes(StandardCharsets.UTF_8).length < KEPT_BYTES_MAX - 4 && !RecordedText.isMasked(text);
    }

    private static ObjectNode text(String text) {
        return text.isEmpty()
                ? Json.object().put("state", "missing")
                : Json.object()
                        .put("state", "text")
                        .put("text", text)
                        .put("size", text.getBytes(StandardCharsets.UTF_8).length);
    }

    private static ObjectNode redacted() {
        return Json.object().put("state", "redacted");
    }
}
