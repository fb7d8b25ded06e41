package dev.capsem.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.EventJson;
import dev.capsem.events.row.ModelInteraction.ParseStatus;
import dev.capsem.events.row.ModelRow;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.ModelRequest;
import dev.capsem.events.security.SecurityEvent.ModelResponse;
import dev.capsem.events.traffic.ModelTap;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.events.vocabulary.TraceId;
import dev.capsem.llm.event.SummaryBuilder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallTapTest {
    private final ModelObserver observer = Recorded.observer();

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private ModelTap ask(String url, String body) {
        ModelTap tap = observer.modelCall(Recorded.head("POST", url)).orElseThrow();
        tap.request(Recorded.ENVELOPE, body.getBytes(StandardCharsets.UTF_8), false);
        tap.responseHead(200, Headers.NONE);
        return tap;
    }

    @Test
    void tellsARequestThatTwoReadersMayUnderstandDifferently() {
        String url = "https://api.anthropic.com/v1/messages";
        for (String body : List.of(
                "{\"model\":\"opus\",\"model\":\"haiku\",\"messages\":[]}",
                "{\"model\":\"haiku\",\"messages\":[{\"role\":\"user\",\"content\":\"a\",\"content\":\"b\"}]}")) {
            assertThat(request(url, body).isAmbiguous()).as(body).isTrue();
        }
        String plain = "{\"model\":\"haiku\",\"messages\":[{\"role\":\"user\",\"content\":\"123\\u002d45\"}]}";
        assertThat(request(url, plain).isAmbiguous()).isFalse();
        assertThat(request(url, plain).prompt()).contains("123-45");
    }

    private SecurityEvent.ModelRequest request(String url, String body) {
        return observer.modelCall(Recorded.head("POST", url))
                .orElseThrow()
                .request(Recorded.ENVELOPE, body.getBytes(StandardCharsets.UTF_8), false)
                .orElseThrow();
    }

    /// The turns of a conversation: the model asks for a tool, gets its result, and is done.
    @ParameterizedTest
    @CsvSource({
        "anthropic-stream-tools, anthropic-whole-tools",
        "chat-stream-tools, chat-whole-tools",
        "responses-stream-tools, responses-whole-tools",
        "gemini-stream-tools, gemini-whole-tools"
    })
    void linksATurnToTheOneWhoseToolsItAnswers(String first, String second) {
        TraceId asked = Recorded.named(first).row(observer, List.of()).traceId().orElseThrow();
        TraceId unrelated = Recorded.named("chat-stream-text")
                .row(observer, List.of())
                .traceId()
                .orElseThrow();
        TraceId answered =
                Recorded.named(second).row(observer, List.of()).traceId().orElseThrow();

        assertThat(answered).isEqualTo(asked).isNotEqualTo(unrelated);
    }

    @Test
    void linksATurnThatStartsBeforeTheReplyIsOver() {
        Recorded first = Recorded.named("anthropic-stream-tools");
        ModelTap tap = first.open(observer);
        String text = first.replyText();
        tap.responseBytes(bytes(text.substring(0, text.indexOf("event: message_delta"))));

        TraceId answered =
                Recorded.named("anthropic-whole-tools").open(observer).traceId();

        assertThat(answered).isEqualTo(tap.traceId());
    }

    @Test
    void forgetsAFinishedConversation() {
        ModelTap tools = Recorded.named("chat-stream-tools").open(observer);
        tools.responseBytes(ByteBuffer.wrap(Recorded.named("chat-stream-tools").reply()));
        TraceId trace = tools.row(Recorded.FACTS).traceId().orElseThrow();
        Recorded results = Recorded.named("chat-whole-tools");
        Recorded done = results.withReply(Recorded.named("chat-whole-text").reply());

        TraceId last = done.row(observer, List.of()).traceId().orElseThrow();
        TraceId again = results.open(observer).traceId();

        assertThat(last).isEqualTo(trace);
        assertThat(again).isNotEqualTo(trace);
    }

    @Test
    void keepsTheConversationOpenWhenTheCallFails() {
        TraceId trace = Recorded.named("chat-stream-tools")
                .row(observer, List.of())
                .traceId()
                .orElseThrow();
        Recorded results = Recorded.named("chat-whole-tools");
        Recorded failed = new Recorded(
                "failed",
                results.head(),
                results.request(),
                529,
                Recorded.named("chat-error-status").reply());

        failed.row(observer, List.of());

        assertThat(results.open(observer).traceId()).isEqualTo(trace);
    }

    @Test
    void showsTheRequestToRules() {
        Recorded call = Recorded.named("anthropic-whole-tools");

        ModelRequest event = observer.modelCall(call.head())
                .orElseThrow()
                .request(Recorded.ENVELOPE, call.request(), false)
                .orElseThrow();

        assertThat(event.provider()).isEqualTo("anthropic");
        assertThat(event.apiFamily()).isEqualTo("anthropic_messages");
        assertThat(event.model()).hasValue("claude-sonnet-4-5");
        assertThat(event.toolResults()).extracting("toolCallId").containsExactly("toolu_A", "toolu_B", "toolu_C");
        assertThat(event.body()).isInstanceOf(Body.Text.class);
    }

    @Test
    void showsTheReplyToRules() {
        ModelTap tap = Recorded.named("anthropic-stream-tools").open(observer);
        tap.responseBytes(
                ByteBuffer.wrap(Recorded.named("anthropic-stream-tools").reply()));

        ModelResponse event = tap.response(Recorded.ENVELOPE);

        assertThat(event.stopReason()).hasValue("tool_use");
        assertThat(event.body()).isEqualTo(Body.of("Looking."));
        assertThat(event.toolCalls()).extracting("origin").containsExactly("native", "local");
        assertThat(event.toolCalls().get(0).arguments().orElseThrow().text()).isEqualTo("{\"command\":\"ls\"}");
        assertThat(event.inputTokens()).hasValue(13);
        assertThat(event.outputTokens()).hasValue(80);
    }

    @Test
    void neverShowsTextAsWholeThatIsNot() {
        ModelTap undecodable = Recorded.named("chat-whole-text").open(observer);
        undecodable.undecodable();
        ModelTap malformed = ask("https://api.anthropic.com/v1/messages", "{}");
        malformed.responseBytes(bytes("data: {\"type\":\"content_block_delta\",\"delta\":{\n\n"));

        assertThat(undecodable.response(Recorded.ENVELOPE).body()).isInstanceOf(Body.TooLarge.class);
        assertThat(malformed.response(Recorded.ENVELOPE).body()).isInstanceOf(Body.TooLarge.class);
        assertThat(undecodable.row(Recorded.FACTS).interaction().orElseThrow().parseStatus())
                .isEqualTo(ParseStatus.PARTIAL);
    }

    @Test
    void readsNothingOfARequestThatIsTooLarge() {
        ModelTap tap = observer.modelCall(Recorded.head("POST", "https://api.openai.com/v1/responses"))
                .orElseThrow();

        ModelRequest event = tap.request(Recorded.ENVELOPE, new byte[0], true).orElseThrow();

        assertThat(event.body()).isInstanceOf(Body.TooLarge.class);
        assertThat(event.model()).isEmpty();
    }

    @Test
    void keepsBoundedTextOfAReplyOfAnyLength() {
        ModelTap tap = ask("https://api.anthropic.com/v1/messages", "{\"model\":\"m\"}");
        String delta =
                "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\""
                        + "ü".repeat(50_000) + "\"}}\n\n";
        for (int i = 0; i < 100; i++) {
            tap.responseBytes(bytes(delta));
        }

        ModelResponse event = tap.response(Recorded.ENVELOPE);
        ModelRow row = tap.row(Recorded.FACTS);

        assertThat(event.body()).isInstanceOf(Body.TooLarge.class);
        assertThat(row.response().textContent().orElseThrow()).hasSize(Previews.BYTES_MAX / 2);
        assertThat(row.interaction().orElseThrow().parseStatus()).isEqualTo(ParseStatus.PARTIAL);
    }

    @Test
    void keepsBoundedToolCalls() {
        ModelTap tap = ask("https://api.openai.com/v1/chat/completions", "{\"model\":\"m\"}");
        for (int i = 0; i < SummaryBuilder.TOOL_CALLS_MAX + 10; i++) {
            tap.responseBytes(bytes("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":" + i + ",\"id\":\"c"
                    + i + "\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}]}\n\n"));
        }

        assertThat(tap.row(Recorded.FACTS).toolCalls()).hasSize(SummaryBuilder.TOOL_CALLS_MAX);
    }

    @Test
    void hasNoCostForAModelWithoutPrice() {
        Recorded call = Recorded.named("chat-whole-text");
        String unknown = call.replyText().replace("gpt-4.1-mini-2025-04-14", "house-model-1");
        String request = "{\"model\":\"house-model-1\",\"messages\":[]}";

        ModelRow row = new Recorded(
                        "unknown",
                        call.head(),
                        request.getBytes(StandardCharsets.UTF_8),
                        200,
                        unknown.getBytes(StandardCharsets.UTF_8))
                .row(observer, List.of());

        assertThat(row.usage().inputTokens()).hasValue(8);
        assertThat(row.usage().estimatedCostUsd()).isEmpty();
    }

    @Test
    void joinsHalvesOfACharacterThatCameInTwoPieces() {
        ModelTap tap = ask("https://api.openai.com/v1/chat/completions", "{\"model\":\"m\"}");
        tap.responseBytes(bytes("data: {\"choices\":[{\"delta\":{\"content\":\"a\\ud83d\"}}]}\n\n"));
        tap.responseBytes(bytes("data: {\"choices\":[{\"delta\":{\"content\":\"\\ude00b\"}}]}\n\n"));

        assertThat(tap.row(Recorded.FACTS).response().textContent()).hasValue("a😀b");
    }

    @Test
    void tellsCallsApartThatShareAnIndex() {
        ModelTap tap = ask("https://api.openai.com/v1/chat/completions", "{\"model\":\"m\"}");
        for (String id : List.of("x", "y")) {
            tap.responseBytes(bytes("data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\""
                    + id + "\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"" + id + "\\\":1}\"}}]}}]}\n\n"));
        }

        assertThat(tap.row(Recorded.FACTS).toolCalls())
                .extracting(call -> call.callId() + call.arguments().orElse(""))
                .containsExactly("x{\"x\":1}", "y{\"y\":1}");
    }

    @Test
    void tellsOfEachKindOfUnknownEventOnceAndNotWhatItHolds() {
        List<String> told = new ArrayList<>();
        ModelObserver telling = new ModelObserver(
                List.of(),
                new IdSource(() -> Recorded.AT, new Random(1)),
                text -> text,
                (provider, kind) -> told.add(provider + " " + kind));
        String odd = "event: brand_new\ndata: {\"type\":\"brand_new\",\"secret\":1}\n\n";
        Recorded call = Recorded.named("anthropic-stream-text");

        Recorded changed = call.withReply(
                (odd + odd + "event: a b\u001b[31m" + "x".repeat(90) + "\ndata: {}\n\n" + call.replyText())
                        .getBytes(StandardCharsets.UTF_8));
        changed.row(telling, List.of());
        assertThat(told).containsExactly("anthropic brand_new", "anthropic a?b??31m" + "x".repeat(56));

        changed.row(telling, List.of());
        assertThat(told).hasSize(4);
    }

    @Test
    void recordsNoSecretThatTheMaskKnowsAndShowsItToRules() {
        ModelObserver masking = new ModelObserver(
                List.of(), new IdSource(() -> Recorded.AT, new Random(1)), text -> text.replace("sunny", "***"));
        Recorded call = Recorded.named("chat-whole-tools");

        ModelRequest shown = masking.modelCall(call.head())
                .orElseThrow()
                .request(Recorded.ENVELOPE, call.request(), false)
                .orElseThrow();
        String recorded = EventJson.tree(call.row(masking, List.of())).toString();

        assertThat(shown.toolResults().get(0).content()).isEqualTo("sunny");
        assertThat(recorded).contains("***").doesNotContain("sunny");
    }
}
