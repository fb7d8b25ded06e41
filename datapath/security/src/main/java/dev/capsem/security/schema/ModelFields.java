package dev.capsem.security.schema;

import static dev.capsem.events.vocabulary.EventType.MODEL_REQUEST;
import static dev.capsem.events.vocabulary.EventType.MODEL_RESPONSE;
import static dev.capsem.security.schema.FieldValues.orMissing;
import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.DYN;
import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;

import dev.capsem.events.security.Body;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.ModelRequest;
import dev.capsem.events.security.SecurityEvent.ModelResponse;
import dev.capsem.events.vocabulary.EventType;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/// The fields of model calls that rules may read.
final class ModelFields {
    private static final Set<EventType> MODEL = Set.of(MODEL_REQUEST, MODEL_RESPONSE);
    private static final Set<EventType> ANSWERED = Set.of(MODEL_RESPONSE);
    private static final CelType TOOL_CALL = Schema.struct(
            "capsem.ToolCall", Map.of("tool_call_id", STRING, "name", STRING, "origin", STRING, "arguments", DYN));
    private static final CelType TOOL_RESULT =
            Schema.struct("capsem.ToolResult", Map.of("tool_call_id", STRING, "content", STRING, "is_error", BOOL));

    /// The types of list elements, which no group names.
    static final List<CelType> ELEMENT_TYPES = List.of(TOOL_CALL, TOOL_RESULT);

    private final Schema schema;

    ModelFields(Schema schema) {
        this.schema = schema;
    }

    void add() {
        addRequest();
        addResponse();
    }

    private void addRequest() {
        String providers =
                "`anthropic`, `openai`, `google_gemini`, another provider's id such as `azure` or `openrouter`, or"
                        + " `unknown`.";
        schema.shown("model.request.provider", STRING, MODEL, providers, e -> model(e).provider());
        schema.shown(
                "model.request.api_family", STRING, MODEL, "Such as `anthropic_messages`.", e -> model(e).apiFamily());
        schema.omittable(
                "model.request.model",
                STRING,
                MODEL,
                "As the request names it.",
                true,
                e -> orMissing(model(e).model()));
        schema.shown("model.request.stream", BOOL, MODEL, "Whether a stream is asked for.", e -> model(e).isStream());
        schema.body("model.request.body", MODEL, e -> model(e).body());
        String told = "The text of all messages, instructions and tool results, without JSON's escapes.";
        schema.omittable("model.request.prompt", STRING, MODEL, told, false, e -> {
            Object whole = FieldValues.text(model(e).body());
            return whole instanceof Unknown ? whole : model(e).prompt().orElseThrow();
        });
        String results = "What tools answered; each has `tool_call_id`, `content`, `is_error`.";
        schema.omittable(
                "model.request.tool_results",
                ListType.create(TOOL_RESULT),
                MODEL,
                results,
                false,
                e -> model(e).toolResults().stream()
                        .map(ModelFields::toolResult)
                        .toList());
    }

    private void addResponse() {
        schema.omittable(
                "model.response.model",
                STRING,
                ANSWERED,
                "As the answer names it.",
                true,
                e -> answer(e, response -> orMissing(response.model())));
        schema.omittable(
                "model.response.stop_reason",
                STRING,
                ANSWERED,
                "`end_turn`, `tool_use`, …",
                true,
                e -> answer(e, response -> orMissing(response.stopReason())));
        schema.omittable(
                "model.response.input_tokens",
                INT,
                ANSWERED,
                "As the provider counted.",
                true,
                e -> answer(e, response -> orMissing(response.inputTokens())));
        schema.omittable(
                "model.response.output_tokens",
                INT,
                ANSWERED,
                "As the provider counted.",
                true,
                e -> answer(e, response -> orMissing(response.outputTokens())));
        schema.body("model.response.body", ANSWERED, e -> ((ModelResponse) e).body());
        String calls = "What the model wants called; each has `tool_call_id`, `name`, `origin`, `arguments`.";
        schema.omittable(
                "model.response.tool_calls",
                ListType.create(TOOL_CALL),
                ANSWERED,
                calls,
                false,
                e -> answer(
                        e,
                        response -> response.toolCalls().stream()
                                .map(ModelFields::toolCall)
                                .toList()));
    }

    /// All that a model says is in the body of its answer, so none of it is known before that was read.
    private static Object answer(SecurityEvent event, Function<ModelResponse, Object> part) {
        ModelResponse response = (ModelResponse) event;
        return response.body() instanceof Body.Unread ? Unknown.UNREAD : part.apply(response);
    }

    private static ModelRequest model(SecurityEvent event) {
        return event instanceof ModelResponse response ? response.request() : (ModelRequest) event;
    }

    private static Map<String, Object> toolCall(SecurityEvent.ToolCall call) {
        Map<String, Object> value = new LinkedHashMap<>();
        value.put("tool_call_id", call.toolCallId());
        value.put("name", call.name());
        value.put("origin", call.origin());
        call.arguments().ifPresent(arguments -> value.put("arguments", arguments.root()));
        return value;
    }

    private static Map<String, Object> toolResult(SecurityEvent.ToolResult result) {
        return Map.of("tool_call_id", result.toolCallId(), "content", result.content(), "is_error", result.isError());
    }
}
