package dev.capsem.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.budget.CallCost;
import dev.capsem.llm.price.PriceTable;
import dev.capsem.llm.provider.ApiFormat;
import dev.capsem.llm.provider.OutputLimit;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CallBoundTest {
    private static final Instant AT = Instant.parse("2026-10-01T00:00:00Z");

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static CallCost bound(String model, String body) {
        ModelRoutes.Route route = new ModelRoutes.Route(
                new ModelEndpoint("anthropic", "api.anthropic.com", 443, ""),
                ApiFormat.ANTHROPIC_MESSAGES,
                "/v1/messages",
                true);
        return new CallBound(route, Optional.of(model), bytes(body), false, AT).cost(PriceTable.embedded());
    }

    @Test
    void isAboveWhatEveryByteCouldCost() {
        String body = "{\"model\":\"claude-haiku-4-5\",\"max_tokens\":1000,\"messages\":[]}";
        CallCost bound = bound("claude-haiku-4-5", body);

        assertThat(bound.tokens()).isEqualTo(body.length() + 2_048 + 1_000);
        // A cache that keeps for an hour costs 2 dollars for a million, output 5.
        assertThat(bound.microUsd()).hasValue((body.length() + 2_048) * 2L + 5_000);
    }

    @Test
    void knowsNoPriceOfAModelThatNobodySells() {
        assertThat(bound("nobody-sells-this", "{\"max_tokens\":1}").microUsd()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"max_tokens\":1,\"messages\":[{\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"x\"}}]}]}",
                "{\"max_tokens\":1,\"tools\":[{\"type\":\"web_search_20250305\"}]}",
                "{\"max_tokens\":1,\"previous_response_i\\u0064\":\"r\"}"
            })
    void takesAWholeContextForWhatIsElsewhere(String body) {
        assertThat(bound("claude-haiku-4-5", body).tokens()).isGreaterThan(200_000);
    }

    @Test
    void textThatSpeaksOfSuchThingsIsOnlyText() {
        String body =
                "{\"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":\"{\\\"image_url\\\": 1} \\u00e9\"}]}";

        assertThat(bound("claude-haiku-4-5", body).tokens()).isLessThan(3_000);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ANTHROPIC_MESSAGES|{\"max_tokens\": 7}|7",
                "ANTHROPIC_MESSAGES|{\"max_tokens\": 7, \"max_tokens\": 90}|90",
                "ANTHROPIC_MESSAGES|{\"metadata\": {\"max_tokens\": 7}}|128000",
                "OPENAI_CHAT|{\"max_completion_tokens\": 7, \"n\": 3}|21",
                "OPENAI_CHAT|{\"max_output_tokens\": 7}|128000",
                "OPENAI_RESPONSES|{\"max_output_tokens\": 7}|7",
                "OPENAI_RESPONSES|{\"max_output_tokens\": null}|128000",
                "GEMINI|{\"generationConfig\": {\"maxOutputTokens\": 7, \"candidateCount\": 2}}|14",
                "OLLAMA|{\"options\": {\"num_predict\": -1}}|128000"
            })
    void readsTheLimitThatTheServerObeys(ApiFormat format, String body, long tokens) {
        assertThat(OutputLimit.tokens(format, bytes(body))).isEqualTo(tokens);
    }

    @Test
    void aBodyThatBreaksOffSetsNoLimit() {
        assertThat(OutputLimit.tokens(ApiFormat.OPENAI_CHAT, bytes("{\"max_tokens\": 7, \"messages\": [")))
                .isGreaterThanOrEqualTo(OutputLimit.UNSET);
    }
}
