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
    @CsvSource({
        "https://openrouter.ai/api/v1/chat/completions, openrouter OPENAI_CHAT",
        "https://openrouter.ai/api/v1/messages, openrouter ANTHROPIC_MESSAGES",
        "https://api.groq.com/openai/v1/chat/completions, groq OPENAI_CHAT",
        "https://api.mistral.ai/v1/chat/completions, mistral OPENAI_CHAT",
        "https://codestral.mistral.ai/v1/fim/completions, mistral OPENAI_OTHER",
        "https://api.deepseek.com/chat/completions, deepseek OPENAI_CHAT",
        "https://api.x.ai/v1/responses, x-ai OPENAI_RESPONSES",
        "https://chatgpt.com/backend-api/codex/responses, chatgpt OPENAI_RESPONSES",
        "https://me.openai.azure.com/openai/deployments/four/chat/completions, azure OPENAI_CHAT",
        "https://me.openai.azure.com/OpenAI/Deployments/four/Chat/Completions, azure OPENAI_CHAT",
        "https://me.services.ai.azure.com/anthropic/v1/messages, azure ANTHROPIC_MESSAGES",
        "https://europe-west1-aiplatform.googleapis.com/v1/p/publishers/google/models/g:generateContent, vertex GEMINI",
        "https://aiplatform.googleapis.com/v1/p/publishers/anthropic/models/c@1:rawPredict, vertex ANTHROPIC_MESSAGES",
        "https://aiplatform.googleapis.com/v1/p/publishers/mistralai/models/m:streamRawPredict, vertex OPENAI_CHAT",
        "https://cloudcode-pa.googleapis.com/v1internal:streamGenerateContent, google GEMINI",
        "http://vllm.example:8000/v1/chat/completions, unknown OPENAI_CHAT",
        "http://localhost:11434/api/chat, ollama OLLAMA",
        "http://localhost:11434/api/generate, ollama OLLAMA",
        "http://localhost:11434/api/embed, ollama OLLAMA_OTHER",
        "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-v1%3A0/invoke, bedrock BEDROCK_ANTHROPIC",
        "https://bedrock-runtime.us-east-1.amazonaws.com/model/meta.llama-v1:0/invoke-with-response-stream, bedrock BEDROCK_OTHER",
        "https://bedrock-runtime-fips.us-east-1.amazonaws.com/model/amazon.nova/converse-stream, bedrock BEDROCK_CONVERSE",
        "https://other.example/bedrock/model/amazon.nova/converse, unknown BEDROCK_CONVERSE",
        "http://127.0.0.1:8081/anthropic/v1/messages, unknown ANTHROPIC_MESSAGES",
        "http://127.0.0.1:8080/anthropicx/v1/messages, unknown ANTHROPIC_MESSAGES",
        "https://example.com/v1/messages, unknown ANTHROPIC_MESSAGES",
        "https://example.com/v1%2Fmessages, unknown ANTHROPIC_MESSAGES",
        "https://example.com/models/g%3AgenerateContent, unknown GEMINI",
        "https://api.anthropic.com.evil.example/v1/messages, unknown ANTHROPIC_MESSAGES",
        "https://evil-api.anthropic.com/v1/messages, unknown ANTHROPIC_MESSAGES"
    })
    void looksAtTheBodyOnOtherHosts(String url, String expected) {
        assertThat(route("POST", url)).isEqualTo(expected);
        assertThat(ROUTES.find(Recorded.head("POST", url)).orElseThrow().isCertain())
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://example.com/channels/7/messages",
                "https://example.com/v1/messages/7",
                "https://example.com/v1/audio/speech",
                "https://example.com/functions/f/invoke",
                "https://example.com/v1/responsesx",
                "https://example.com/models/g:predict",
                "https://api.anthropic.com/v1/models",
                "https://api.anthropic.com/v1/messages/count_tokens",
                "https://api.openai.com/v1/files",
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
