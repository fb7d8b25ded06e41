package dev.capsem.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.JsonDocument;
import dev.capsem.events.security.SecurityEvent.ModelRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ModelPromptTest {
    private static final SecurityEngine ENGINE = Events.engine(
            Events.only("model", "model.request", "model.request.prompt.contains(\"123-45-6789\")", "block", ""));

    @Test
    void readsThePromptWithoutTheEscapesOfJson() {
        for (String body : List.of(
                "{\"messages\":[{\"role\":\"user\",\"content\":\"my number is 123\\u002d45-6789\"}]}",
                "{\"system\":[{\"type\":\"text\",\"text\":\"123-45-6789\"}],\"messages\":[]}",
                "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"content\":\"123-45-6789\"}]}]}",
                "{\"instructions\":\"x\",\"input\":[{\"type\":\"function_call_output\",\"output\":\"123-45-6789\"}]}",
                "{\"contents\":[{\"parts\":[{\"text\":\"123-45\\u002d6789\"}]}]}",
                "{\"systemInstruction\":{\"parts\":[{\"text\":\"123-45-6789\"}]}}",
                "{\"new_format\":{\"say\":\"123-45-6789\"}}",
                "not JSON: 123-45-6789")) {
            assertThat(ENGINE.evaluate(request(body, false)).decision())
                    .as(body)
                    .isEqualTo(Decision.BLOCK);
        }
        assertThat(ENGINE.evaluate(request("{\"messages\":[{\"content\":\"hello\"}],\"user\":\"123-45-6789\"}", false))
                        .decision())
                .isEqualTo(Decision.ALLOW);
    }

    @Test
    void blocksARequestWhoseJsonHasAKeyTwice() {
        String twice = "{\"model\":\"opus\",\"model\":\"haiku\"}";
        boolean isAmbiguous = JsonDocument.repeatsKey(twice.getBytes(StandardCharsets.UTF_8));

        Evaluation evaluation = ENGINE.evaluate(request(twice, isAmbiguous));

        assertThat(evaluation.outcome()).isEqualTo(new Evaluation.Blocked(BlockCause.MALFORMED_TRAFFIC));
        assertThat(evaluation.reason())
                .hasValueSatisfying(
                        reason -> assertThat(reason).contains("has a key twice").doesNotContain("opus"));
    }

    @Test
    void findsKeysThatAreThereTwiceWhereverTheyAre() {
        for (String twice : List.of(
                "{\"a\":1,\"a\":2}",
                "{\"a\":[{\"b\":1,\"c\":{},\"b\":2}]}",
                "{\"a\":{\"b\":1},\"\\u0061\":2}",
                "{\"a\":1,\"a\":2} and more")) {
            assertThat(JsonDocument.repeatsKey(twice.getBytes(StandardCharsets.UTF_8)))
                    .as(twice)
                    .isTrue();
        }
        for (String once : List.of("{\"a\":{\"a\":1},\"b\":[{\"a\":1},{\"a\":1}]}", "no", "", "{\"a\":")) {
            assertThat(JsonDocument.repeatsKey(once.getBytes(StandardCharsets.UTF_8)))
                    .as(once)
                    .isFalse();
        }
    }

    private static ModelRequest request(String body, boolean isAmbiguous) {
        return new ModelRequest(
                Events.ENVELOPE,
                "anthropic",
                "anthropic_messages",
                Optional.of("claude"),
                false,
                Body.of(body),
                List.of(),
                isAmbiguous);
    }
}
