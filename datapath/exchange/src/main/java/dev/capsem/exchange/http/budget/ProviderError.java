package dev.capsem.exchange.http.budget;

import dev.capsem.events.budget.SpendingAnswer;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Headers;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/// A refusal for its cost in the words of the API that was asked, so that its client ends there and
/// does not try again.
///
/// @param headers without the length of the text
public record ProviderError(int status, Headers headers, String text) {
    private static final JsonFactory JSON = new JsonFactory();

    private static final String CODE = BlockCause.BUDGET_EXCEEDED.wireName();

    /// Clients wait for what is shorter, and then try again.
    private static final Duration RETRY_MIN = Duration.ofMinutes(2);

    /// Where no time helps.
    private static final Duration RETRY_NEVER = Duration.ofDays(1);

    /// @param family of the API, if a model was asked
    static ProviderError of(SpendingAnswer.Refused refused, Optional<String> family) {
        String sentence = "Capsem: " + refused.reason() + "; " + refused.remedy();
        return switch (family.orElse("")) {
            case "anthropic_messages" -> error(402, refused, json -> anthropic(json, sentence));
            case "openai_chat_completions", "openai_responses" -> error(429, refused, json -> openAi(json, sentence));
            case "google_gemini_content" -> error(429, refused, json -> google(json, sentence));
            default -> error(429, refused, json -> plain(json, sentence, refused));
        };
    }

    private static void anthropic(JsonGenerator json, String sentence) {
        json.writeStringProperty("type", "error");
        json.writeObjectPropertyStart("error");
        json.writeStringProperty("type", "billing_error");
        json.writeStringProperty("message", sentence);
        json.writeEndObject();
    }

    private static void openAi(JsonGenerator json, String sentence) {
        json.writeObjectPropertyStart("error");
        json.writeStringProperty("message", sentence);
        json.writeStringProperty("type", "insufficient_quota");
        json.writeNullProperty("param");
        json.writeStringProperty("code", "insufficient_quota");
        json.writeEndObject();
    }

    private static void google(JsonGenerator json, String sentence) {
        json.writeObjectPropertyStart("error");
        json.writeNumberProperty("code", 429);
        json.writeStringProperty("message", sentence);
        json.writeStringProperty("status", "RESOURCE_EXHAUSTED");
        json.writeEndObject();
    }

    private static void plain(JsonGenerator json, String sentence, SpendingAnswer.Refused refused) {
        json.writeObjectPropertyStart("error");
        json.writeStringProperty("type", "capsem_" + CODE);
        json.writeStringProperty("message", sentence);
        json.writeStringProperty("code", CODE);
        json.writeStringProperty("decision", "block");
        json.writeStringProperty("reason", refused.reason());
        json.writeStringProperty("remedy", refused.remedy());
        json.writeEndObject();
    }

    private static ProviderError error(int status, SpendingAnswer.Refused refused, Consumer<JsonGenerator> members) {
        StringWriter out = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
            json.writeStartObject();
            members.accept(json);
            json.writeEndObject();
        }
        List<Headers.Field> fields = new ArrayList<>();
        fields.add(new Headers.Field("content-type", "application/json"));
        fields.add(new Headers.Field("cache-control", "no-store"));
        fields.add(new Headers.Field("x-should-retry", "false"));
        fields.add(new Headers.Field(
                "retry-after", Long.toString(retryAfter(refused).toSeconds())));
        fields.add(new Headers.Field("x-capsem-decision", "block"));
        refused.budget().ifPresent(name -> fields.add(new Headers.Field("x-capsem-budget", name)));
        return new ProviderError(status, Headers.of(fields), out + "\n");
    }

    /// Until the window ends, but never so short that a client waits for it.
    private static Duration retryAfter(SpendingAnswer.Refused refused) {
        return refused.until()
                .map(time -> time.compareTo(RETRY_MIN) < 0 ? RETRY_MIN : time)
                .orElse(RETRY_NEVER);
    }
}
