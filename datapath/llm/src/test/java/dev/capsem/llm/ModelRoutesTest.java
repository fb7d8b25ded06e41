package dev.capsem.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModelRoutesTest {
    private static final ModelRoutes ROUTES = new ModelRoutes(List.of(
            ModelEndpoint.of("anthropic", URI.create("http://127.0.0.1:8080/anthropic/")),
            ModelEndpoint.of("openai", URI.create("http://127.0.0.1:8080/openai/v1")),
            ModelEndpoint.of("google", URI.create("https://Gateway.example")),
            ModelEndpoint.of("deepseek", URI.create("https://gateway.example/deepseek"))));

    private static String route(String method, String url) {
        return ROUTES.find(Recorded.head(method, url))
                .map(route -> route.endpoint().provider() + " " + route.format())
                .orElse("none");
    }

    @ParameterizedTest
    @CsvSource({
        "https://api.anthropic.com/v1/messages, anthropic ANTHROPIC_MESSAGES",
        "https://api.anthropic.com/v1//messages/, anthropic ANTHROPIC_MESSAGES",
        "https://api.anthropic.com/v1/%6dessages, anthropic ANTHROPIC_MESSAGES",
        "https://api.anthropic.com/v1%2fmessages, anthropic ANTHROPIC_MESSAGES",
        "https://api.anthropic.com/x/..%2fv1/messages, anthropic ANTHROPIC_MESSAGES",
        "https://api.anthropic.com/v1/messages;a=b, anthropic ANTHROPIC_MESSAGES",
        "https://api.anthropic.com/v1/%256dessages, anthropic ANTHROPIC_MESSAGES",
        "https://api.anthropic.com/v1/complete, anthropic ANTHROPIC_OTHER",
        "https://api.anthropic.com/v1/chat/completions, anthropic OPENAI_CHAT",
        "https://api.openai.com/v1/chat/completions, openai OPENAI_CHAT",
        "https://api.openai.com/v1/responses, openai OPENAI_RESPONSES",
        "https://api.openai.com/v1/embeddings, openai OPENAI_OTHER",
        "https://api.openai.com/v1/audio/speech, openai OPENAI_OTHER",
        "https://generativelanguage.googleapis.com/v1beta/models/g:generateContent, google GEMINI",
        "https://generativelanguage.googleapis.com/v1beta/models/g:streamGenerateContent, google GEMINI",
        "https://generativelanguage.googleapis.com/v1beta/models/g:embedContent, google GEMINI_OTHER",
        "https://generativelanguage.googleapis.com/v1beta/models/g:countTokens, google GEMINI_OTHER",
        "https://generativelanguage.googleapis.com/v1beta/models/g:batchGenerateContent, google GEMINI_OTHER",
        "https://generativelanguage.googleapis.com/v1beta/models/g:predictLongRunning, google GEMINI_OTHER",
        "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions, google OPENAI_CHAT",
        "http://127.0.0.1:8080/anthropic/v1/messages, anthropic ANTHROPIC_MESSAGES",
        "http://127.0.0.1:8080/openai/v1/responses, openai OPENAI_RESPONSES",
        "https://gateway.example/v1beta/models/g:generateContent, google GEMINI",
        "https://gateway.example/deepseek/chat/completions, deepseek OPENAI_CHAT"
    })
    void knowsProvidersAndConfiguredEndpoints(String url, String expected) {
        assertThat(route("POST", url)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://example.com/v1/messages",
                "https://api.anthropic.com.evil.example/v1/messages",
                "https://evil-api.anthropic.com/v1/messages",
                "https://api.anthropic.com/v1/models",
                "https://api.anthropic.com/v1/messages/count_tokens",
                "https://api.openai.com/v1/files",
                "http://127.0.0.1:8081/anthropic/v1/messages",
                "http://127.0.0.1:8080/anthropicx/v1/messages",
                "https://generativelanguage.googleapis.com/v1beta/models"
            })
    void takesEverythingElseForPlainHttp(String url) {
        assertThat(route("POST", url)).isEqualTo("none");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "OPTIONS", "DELETE"})
    void takesMethodsThatAskNothingForPlainHttp(String method) {
        assertThat(route(method, "https://api.openai.com/v1/responses")).isEqualTo("none");
    }

    @Test
    void refusesABaseUrlThatIsNone() {
        assertThatIllegalArgumentException().isThrownBy(() -> ModelEndpoint.of("openai", URI.create("localhost:80")));
        assertThatIllegalArgumentException().isThrownBy(() -> ModelEndpoint.of("", URI.create("http://h")));
    }
}
