package dev.capsem.llm;

import dev.capsem.events.budget.CallCost;
import dev.capsem.events.row.ModelRow;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.JsonDocument;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.traffic.ModelTap;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.events.vocabulary.TraceId;
import dev.capsem.llm.event.LlmEvent;
import dev.capsem.llm.event.StopReason;
import dev.capsem.llm.event.StreamSummary;
import dev.capsem.llm.event.SummaryBuilder;
import dev.capsem.llm.price.PriceTable;
import dev.capsem.llm.provider.CallRequest;
import dev.capsem.llm.provider.ReplyStream;
import dev.capsem.llm.tool.ToolName;
import dev.capsem.llm.trace.TraceState;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads along with one call: keeps what adds up, never what flows by.
final class CallTap implements ModelTap {
    private static final Pattern COUNT = Pattern.compile("[0-9]{1,15}");

    private final ModelRoutes.Route route;
    private final HttpRequest head;
    private final IdSource ids;
    private final TraceState traces;
    private final Supplier<PriceTable> prices;
    private final Previews previews;
    private final UnknownEvents unknown;
    private final SummaryBuilder builder = new SummaryBuilder();
    private final ReplyStream reply;

    private @Nullable Asked asked;
    private @Nullable TraceId trace;
    private @Nullable StreamSummary summary;
    private Optional<String> responseId = Optional.empty();
    private OptionalInt status = OptionalInt.empty();
    private boolean isUndecodable;
    private long parsedEvents;

    /// The request as it was judged.
    private record Asked(CallRequest request, SecurityEvent.ModelRequest event, byte[] body, boolean isTooLarge) {
        /// It may be large, and nobody asks for it any more.
        Asked withoutBody() {
            return new Asked(request, event, new byte[0], true);
        }
    }

    CallTap(
            ModelRoutes.Route route,
            HttpRequest head,
            IdSource ids,
            TraceState traces,
            Supplier<PriceTable> prices,
            Previews previews,
            BiConsumer<String, String> unknown) {
        this.route = route;
        this.head = head;
        this.ids = ids;
        this.traces = traces;
        this.prices = prices;
        this.previews = previews;
        this.unknown = new UnknownEvents(kind -> unknown.accept(route.endpoint().provider(), kind));
        this.reply = route.format().reply(this::said);
    }

    @Override
    public Optional<SecurityEvent.ModelRequest> request(Envelope envelope, byte[] body, boolean isTooLarge) {
        if (!route.isCertain() && !(isTooLarge ? mayBeAsked() : route.format().isAskedBy(body))) {
            return Optional.empty();
        }
        CallRequest request = route.format().request(isTooLarge ? new byte[0] : body, route.path());
        if (trace == null) {
            List<String> answered = request.toolResults().stream()
                    .map(CallRequest.ToolResult::callId)
                    .toList();
            trace = traces.find(answered, envelope.at()).orElseGet(ids::newTraceId);
        }
        Optional<String> contentType = head.headers().value("content-type");
        SecurityEvent.ModelRequest event = new SecurityEvent.ModelRequest(
                envelope,
                route.endpoint().ruleName(),
                route.format().family().wireName(),
                request.model(),
                request.isStream(),
                isTooLarge ? new Body.TooLarge(OptionalLong.empty(), contentType) : Body.of(body, contentType),
                request.toolResults().stream()
                        .map(result ->
                                new SecurityEvent.ToolResult(result.callId(), result.content(), result.isError()))
                        .toList(),
                !isTooLarge && JsonDocument.repeatsKey(body));
        asked = new Asked(request, event, body, isTooLarge);
        return Optional.of(event);
    }

    /// Of a body that cannot be seen. Only uploads are sure to be no JSON; anything else could be padded to get here.
    private boolean mayBeAsked() {
        return head.headers()
                .value("content-type")
                .filter(type -> type.strip().toLowerCase(Locale.ROOT).startsWith("multipart/"))
                .isEmpty();
    }

    @Override
    public CallCost bound() {
        Asked known = asked();
        return new CallBound(route, known.request().model(), known.body(), known.isTooLarge(), askedAt())
                .cost(prices.get());
    }

    @Override
    public Optional<CallCost> spent() {
        return record(summary()).spent(prices.get());
    }

    @Override
    public TraceId traceId() {
        TraceId known = trace;
        if (known == null) {
            known = ids.newTraceId();
            trace = known;
        }
        return known;
    }

    @Override
    public void responseHead(int statusCode, Headers headers) {
        status = OptionalInt.of(statusCode);
        asked = asked().withoutBody();
        OptionalLong input = count(headers, "x-amzn-bedrock-input-token-count");
        OptionalLong output = count(headers, "x-amzn-bedrock-output-token-count");
        if (input.isPresent() || output.isPresent()) {
            builder.accept(new LlmEvent.Usage(input, output, Map.of()));
        }
    }

    /// Bedrock counts in the head what the body of most models does not.
    private static OptionalLong count(Headers headers, String name) {
        return headers.value(name)
                .filter(value -> COUNT.matcher(value).matches())
                .map(value -> OptionalLong.of(Long.parseLong(value)))
                .orElse(OptionalLong.empty());
    }

    @Override
    public void responseBytes(ByteBuffer decoded) {
        if (!isUndecodable && summary == null) {
            reply.feed(decoded);
        }
    }

    @Override
    public void undecodable() {
        isUndecodable = true;
    }

    /// The agent may send a tool's result before this reply is over, on another connection.
    private void said(LlmEvent event) {
        if (event instanceof LlmEvent.ToolCallStart start) {
            traces.register(start.callId(), start.name(), traceId(), askedAt());
        }
        if (event instanceof LlmEvent.Unknown odd) {
            unknown.met(odd.eventType());
        }
        parsedEvents++;
        builder.accept(event);
    }

    @Override
    public long parsedEvents() {
        return parsedEvents;
    }

    private Asked asked() {
        Asked known = asked;
        if (known == null) {
            throw new IllegalStateException("the tap was not shown the request");
        }
        return known;
    }

    private Instant askedAt() {
        return asked().event().envelope().at();
    }

    private StreamSummary summary() {
        StreamSummary known = summary;
        if (known == null) {
            reply.finish();
            known = builder.build();
            summary = known;
        }
        return known;
    }

    @Override
    public SecurityEvent.ModelResponse response(Envelope envelope) {
        StreamSummary said = summary();
        responseId = Optional.of(envelope.id().value());
        return new SecurityEvent.ModelResponse(
                envelope,
                asked().event(),
                said.model(),
                said.stopReason().map(StopReason::wireName),
                text(said),
                said.toolCalls().stream().map(CallTap::toolCall).toList(),
                said.usage().inputTokens(),
                said.usage().outputTokens());
    }

    /// What was not seen in full is never shown as if it were: a rule on the text then blocks.
    private Body text(StreamSummary said) {
        return isUndecodable || said.isPartial()
                ? new Body.TooLarge(OptionalLong.empty(), Optional.empty())
                : Body.of(said.text());
    }

    private static SecurityEvent.ToolCall toolCall(StreamSummary.ToolCall call) {
        return new SecurityEvent.ToolCall(
                call.callId(),
                call.name(),
                new ToolName(call.name()).origin().wireName(),
                JsonDocument.parse(call.arguments()));
    }

    @Override
    public ModelRow row(Facts facts) {
        StreamSummary said = summary();
        endTurn(said);
        return record(said).row(facts, prices.get());
    }

    private ModelCallRecord record(StreamSummary said) {
        return new ModelCallRecord(
                route,
                head,
                asked().request(),
                asked().event().envelope(),
                said,
                traceId(),
                responseId,
                status,
                isUndecodable,
                previews);
    }

    /// A conversation is finished when the model answered and asked for nothing more. A failed call is not the end:
    /// the agent will try again, with the same results.
    private void endTurn(StreamSummary said) {
        boolean isAnswered = status.isPresent()
                && status.getAsInt() / 100 == 2
                && said.stopReason().isPresent();
        if (isAnswered && said.toolCalls().isEmpty() && said.error().isEmpty()) {
            traces.complete(traceId());
        }
    }
}
