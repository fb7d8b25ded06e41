package dev.capsem.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.ModelInteraction;
import dev.capsem.events.row.ModelRow;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.security.SecurityEvent.ModelRequest;
import dev.capsem.events.traffic.ModelTap;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Model APIs on hosts that nobody configured: the path makes a candidate, the body decides.
class CompatibleCallTest {
    private static final String SERVER = "https://models.example";

    private final ModelObserver observer = Recorded.observer();

    private Optional<ModelRequest> asked(String url, String body) {
        return asked(url, body.getBytes(StandardCharsets.UTF_8));
    }

    private Optional<ModelRequest> asked(String url, byte[] body) {
        return observer.modelCall(Recorded.head("POST", url)).orElseThrow().request(Recorded.ENVELOPE, body, false);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/v1/chat/completions | {'model':'a/b','messages':[]} | a/b",
                "/openai/deployments/four/chat/completions | {'messages':[]} | four",
                "/v1/messages | {'model':'m','max_tokens':1,'messages':[]} | m",
                "/v1/responses | {'model':'m','input':'hello'} | m",
                "/v1/completions | {'model':'m','prompt':'hello'} | m",
                "/v1/embeddings | {'model':'m','input':['hello']} | m",
                "/x/publishers/anthropic/models/c@1:rawPredict | {'anthropic_version':'v','messages':[]} | c@1",
                "/x/publishers/google/models/g:streamGenerateContent | {'contents':[]} | g",
                "/v1internal:generateContent | {'model':'g','request':{'contents':[]}} | g"
            })
    void aBodyOfTheFormatIsAModelCall(String path, String body, String model) {
        ModelRequest request = asked(SERVER + path, body.replace('\'', '"')).orElseThrow();

        assertThat(request.provider()).isEqualTo("unknown");
        assertThat(request.model()).contains(model);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/chat | {'model':'q','messages':[]} | ollama | q",
                "/api/generate | {'model':'q','prompt':'hello'} | ollama | q",
                "/model/a.b%3A0/converse | {'messages':[]} | unknown | a.b:0",
                "/model/arn%3Aaws%3Ax%2Fy.anthropic.z/invoke | {'anthropic_version':'v','messages':[]} | unknown"
                        + " | arn:aws:x/y.anthropic.z",
                "/model/amazon.titan/invoke-with-response-stream | {'inputText':'hello'} | unknown | amazon.titan"
            })
    void soIsOneOfOllamaAndOfBedrock(String path, String body, String provider, String model) {
        ModelRequest request = asked(SERVER + path, body.replace('\'', '"')).orElseThrow();

        assertThat(request.provider()).isEqualTo(provider);
        assertThat(request.model()).contains(model);
    }

    /// Whose words Bedrock does not translate is still counted.
    @Test
    void bedrocksOwnCountsAreReadOfAnyModel() {
        ModelTap tap = observer.modelCall(Recorded.head("POST", SERVER + "/model/amazon.titan/invoke"))
                .orElseThrow();
        tap.request(Recorded.ENVELOPE, "{\"inputText\":\"hello\"}".getBytes(StandardCharsets.UTF_8), false);
        tap.responseHead(
                200, Headers.of("x-amzn-bedrock-input-token-count", "5", "x-amzn-bedrock-output-token-count", "6"));
        tap.responseBytes(ByteBuffer.wrap("{\"results\":[]}".getBytes(StandardCharsets.UTF_8)));

        ModelRow row = tap.row(Recorded.FACTS);

        assertThat(row.usage().inputTokens()).hasValue(5);
        assertThat(row.usage().outputTokens()).hasValue(6);
        assertThat(row.usage().estimatedCostUsd()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/v1/messages | {'to':'+49','text':'hello'}",
                "/v1/messages | {'messages':[{'to':'+49'}]}",
                "/v1/messages | to=49&text=hello",
                "/v1/messages | ''",
                "/forms/7/responses | {'answers':[1,2]}",
                "/chat/completions | ['messages']",
                "/v1/embeddings | {'model':'m'}",
                "/api/chat | {'message':'hello','room':7}",
                "/model/7/invoke | {'argument':7}",
                "/documents/7:generateContent | {'template':'letter'}"
            })
    void anotherApiOnTheSamePathIsNot(String path, String body) {
        assertThat(asked(SERVER + path, body.replace('\'', '"'))).isEmpty();
    }

    /// Servers read more than RFC 8259 allows. Spelling the body so must not lead past the rules.
    @Test
    void aBodyThatOnlyTheServerCanReadIsAModelCallWithoutAName() {
        String body = "{\"model\":\"m\",\"messages\":[]}";
        for (Charset charset : new Charset[] {StandardCharsets.UTF_16, StandardCharsets.UTF_16LE}) {
            assertThat(asked(SERVER + "/v1/chat/completions", body.getBytes(charset))
                            .orElseThrow()
                            .model())
                    .isEmpty();
        }
        assertThat(asked(SERVER + "/v1/chat/completions", "{/**/" + body.substring(1)))
                .isPresent();
        assertThat(asked(SERVER + "/v1/chat/completions", "\uFEFF" + body)).isPresent();
    }

    @Test
    void aBodyThatIsTooLargeToSeeIsAModelCallUnlessItIsAnUpload() {
        HttpRequest head = Recorded.head("POST", SERVER + "/v1/chat/completions");

        assertThat(tooLarge(head)).isPresent();
        assertThat(tooLarge(new HttpRequest(
                        head.envelope(),
                        head.method(),
                        head.scheme(),
                        head.host(),
                        head.port(),
                        head.path(),
                        head.query(),
                        Headers.of("content-type", "Multipart/form-data; boundary=b"),
                        Body.NONE)))
                .isEmpty();
    }

    private Optional<ModelRequest> tooLarge(HttpRequest head) {
        return observer.modelCall(head).orElseThrow().request(Recorded.ENVELOPE, new byte[0], true);
    }

    /// The server goes by the path, so the rules must, too.
    @Test
    void theModelOfThePathCountsNotThatOfTheBody() {
        assertThat(asked(
                                "https://generativelanguage.googleapis.com/v1beta/models/large:generateContent",
                                "{\"model\":\"models/small\",\"contents\":[]}")
                        .orElseThrow()
                        .model())
                .contains("large");
        assertThat(asked(
                                "https://me.openai.azure.com/openai/deployments/large/chat/completions",
                                "{\"model\":\"small\",\"messages\":[]}")
                        .orElseThrow()
                        .model())
                .contains("large");
    }

    @ParameterizedTest
    @CsvSource({
        "https://me.openai.azure.com/openai/deployments/mine/chat/completions, azure, azure, true",
        "https://api.deepseek.com/chat/completions, deepseek, deepseek, true",
        "https://openrouter.ai/api/v1/chat/completions, openrouter, openrouter, false",
        "https://models.example/v1/chat/completions, unknown, unknown, false",
        "https://api.openai.com/v1/chat/completions, openai, openai, true"
    })
    void isPricedWhereTheTableKnowsProviderAndModel(String url, String provider, String shown, boolean isPriced) {
        String model = provider.equals("deepseek") ? "deepseek-chat" : "gpt-4o-mini";
        ModelTap tap = observer.modelCall(Recorded.head("POST", url)).orElseThrow();
        ModelRequest request = tap.request(
                        Recorded.ENVELOPE,
                        ("{\"model\":\"" + model + "\",\"messages\":[]}").getBytes(StandardCharsets.UTF_8),
                        false)
                .orElseThrow();
        tap.responseHead(200, Headers.NONE);
        tap.responseBytes(ByteBuffer.wrap(("{\"id\":\"1\",\"model\":\"" + model
                        + "\",\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":9}}")
                .getBytes(StandardCharsets.UTF_8)));

        ModelRow row = tap.row(Recorded.FACTS);

        assertThat(request.provider()).isEqualTo(shown);
        assertThat(row.provider()).isEqualTo(provider);
        assertThat(row.usage().inputTokens()).hasValue(9);
        assertThat(row.usage().estimatedCostUsd().isPresent()).isEqualTo(isPriced);
        assertThat(row.interaction().orElseThrow().provider())
                .isEqualTo(
                        provider.equals("openai")
                                ? ModelInteraction.Provider.OPENAI
                                : ModelInteraction.Provider.UNKNOWN);
    }
}
