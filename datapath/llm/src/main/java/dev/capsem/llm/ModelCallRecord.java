package dev.capsem.llm;

import dev.capsem.events.budget.CallCost;
import dev.capsem.events.row.ModelInteraction;
import dev.capsem.events.row.ModelInteraction.ArgumentsStatus;
import dev.capsem.events.row.ModelInteraction.CallStatus;
import dev.capsem.events.row.ModelInteraction.ContentBlock;
import dev.capsem.events.row.ModelInteraction.ContentKind;
import dev.capsem.events.row.ModelInteraction.EvidenceStatus;
import dev.capsem.events.row.ModelInteraction.ParseStatus;
import dev.capsem.events.row.ModelInteraction.UsageDetail;
import dev.capsem.events.row.ModelRow;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.JsonDocument;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.traffic.ModelTap.Facts;
import dev.capsem.events.vocabulary.Confidence;
import dev.capsem.events.vocabulary.SourceEngine;
import dev.capsem.events.vocabulary.TraceId;
import dev.capsem.llm.event.LlmEvent.Usage;
import dev.capsem.llm.event.StopReason;
import dev.capsem.llm.event.StreamSummary;
import dev.capsem.llm.event.StreamSummary.Block;
import dev.capsem.llm.price.PriceTable;
import dev.capsem.llm.price.TokenCounts;
import dev.capsem.llm.provider.ApiFormat;
import dev.capsem.llm.provider.CallRequest;
import dev.capsem.llm.tool.ToolName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A finished call, as the rows that are kept of it.
record ModelCallRecord(
        ModelRoutes.Route route,
        HttpRequest head,
        CallRequest request,
        Envelope asked,
        StreamSummary said,
        TraceId trace,
        Optional<String> responseId,
        OptionalInt status,
        boolean isUndecodable,
        Previews previews) {
    /// More blocks of one call are not recorded.
    private static final int BLOCKS_MAX = 256;

    private static final int FAILED_MIN = 400;

    private static final String NO_MODEL = "unknown";

    ModelRow row(Facts facts, PriceTable prices) {
        OptionalDouble cost = cost(prices);
        Usage usage = said.usage();
        return new ModelRow(
                facts.at(),
                route.endpoint().provider(),
                model(),
                facts.caller(),
                head.method(),
                head.path(),
                request.isStream(),
                new ModelRow.Request(
                        request.system().map(previews::of),
                        request.messages(),
                        request.tools(),
                        facts.requestBytes(),
                        facts.requestPreview()),
                new ModelRow.Response(
                        said.messageId(),
                        status,
                        previews.ofText(said.text()),
                        previews.ofText(said.thinking()),
                        said.stopReason().map(StopReason::wireName),
                        facts.responseBytes()),
                new ModelRow.Usage(usage.inputTokens(), usage.outputTokens(), cost, details(usage)),
                facts.duration(),
                Optional.of(trace),
                said.toolCalls().stream().map(this::toolCall).toList(),
                request.toolResults().stream().map(this::toolResponse).toList(),
                Optional.of(interaction(cost)));
    }

    private Optional<String> model() {
        return request.model().or(said::model).filter(name -> !name.isEmpty()).map(previews::of);
    }

    private static Optional<String> details(Usage usage) {
        return usage.details().isEmpty()
                ? Optional.empty()
                : Optional.of(new TreeMap<>(usage.details())
                        .entrySet().stream()
                                .map(count -> "\"" + count.getKey() + "\":" + count.getValue())
                                .collect(Collectors.joining(",", "{", "}")));
    }

    private ModelRow.ToolCall toolCall(StreamSummary.ToolCall call) {
        return new ModelRow.ToolCall(
                call.index(),
                call.callId(),
                call.name(),
                previews.ofText(call.arguments()),
                new ToolName(call.name()).origin(),
                Optional.of(trace));
    }

    private ModelRow.ToolResponse toolResponse(CallRequest.ToolResult result) {
        return new ModelRow.ToolResponse(
                result.callId(), previews.ofText(result.content()), result.isError(), Optional.of(trace));
    }

    // ── cost

    /// What the call came to, if its answer says so and was whole: what broke off may have cost more than it said.
    Optional<CallCost> spent(PriceTable prices) {
        Usage usage = said.usage();
        boolean isFailed = status.orElse(0) >= FAILED_MIN
                && usage.inputTokens().isEmpty()
                && usage.outputTokens().isEmpty();
        if (isFailed) {
            return Optional.of(CallCost.NOTHING);
        }
        boolean isWhole = said.stopReason().isPresent()
                && usage.inputTokens().isPresent()
                && usage.outputTokens().isPresent();
        if (!isWhole) {
            return Optional.empty();
        }
        TokenCounts tokens = tokens(usage);
        OptionalDouble cost = cost(prices);
        return Optional.of(new CallCost(
                tokens.all(),
                cost.isPresent()
                        ? OptionalLong.of((long) Math.ceil(cost.getAsDouble() * 1_000_000))
                        : OptionalLong.empty()));
    }

    /// The reply names the model more exactly than the request, but a gateway may name it its own way.
    private OptionalDouble cost(PriceTable prices) {
        Usage usage = said.usage();
        if (usage.inputTokens().isEmpty() && usage.outputTokens().isEmpty()) {
            // A call that was refused used no tokens, and nobody charges for it.
            return status.orElse(0) >= FAILED_MIN ? OptionalDouble.of(0) : OptionalDouble.empty();
        }
        TokenCounts tokens = tokens(usage);
        return Stream.concat(said.model().stream(), request.model().stream())
                .map(model -> prices.cost(route.endpoint().priceName(), model, tokens, asked.at()))
                .filter(OptionalDouble::isPresent)
                .findFirst()
                .orElse(OptionalDouble.empty());
    }

    /// The formats count differently: Anthropic leaves cached tokens out of the input, the others have them in it;
    /// Gemini leaves thinking out of the output, the others have it in it.
    private TokenCounts tokens(Usage usage) {
        long input = usage.inputTokens().orElse(0);
        long output = usage.outputTokens().orElse(0);
        long read = usage.detail(Usage.CACHE_READ);
        long written = usage.detail(Usage.CACHE_WRITE);
        long hour = Math.min(written, usage.detail(Usage.CACHE_WRITE_1H));
        long thinking = usage.detail(Usage.THINKING);
        return switch (route.format()) {
            case ANTHROPIC_MESSAGES, ANTHROPIC_OTHER, BEDROCK_ANTHROPIC, BEDROCK_CONVERSE, BEDROCK_OTHER ->
                new TokenCounts(input, read, written - hour, hour, output - thinking, thinking);
            case OPENAI_CHAT, OPENAI_RESPONSES, OPENAI_OTHER, OLLAMA, OLLAMA_OTHER ->
                new TokenCounts(input - read - written, read, written - hour, hour, output - thinking, thinking);
            case GEMINI, GEMINI_OTHER ->
                new TokenCounts(input + usage.detail(Usage.TOOL_USE_INPUT) - read, read, written, 0, output, thinking);
        };
    }

    // ── the normalized form

    private ModelInteraction interaction(OptionalDouble cost) {
        String id = asked.id().value();
        List<ModelInteraction.ToolCall> calls =
                said.toolCalls().stream().map(call -> call(call, id)).toList();
        ParseStatus parsed = parseStatus(calls);
        return new ModelInteraction(
                id,
                trace,
                asked.attribution(),
                SourceEngine.NETWORK,
                route.endpoint().kind(),
                route.format().family(),
                model().orElse(NO_MODEL),
                parsed,
                parsed == ParseStatus.COMPLETE ? EvidenceStatus.COMPLETE : EvidenceStatus.PARTIAL,
                new ModelInteraction.Request(
                        id,
                        request.model().map(previews::of),
                        request.isStream(),
                        request.system().map(previews::of),
                        request.messages(),
                        request.tools(),
                        route.format().shapeVersion(),
                        request.hasUnknownFields()),
                status.isEmpty() ? Optional.empty() : Optional.of(response()),
                said.usage().inputTokens(),
                said.usage().outputTokens(),
                cost.isPresent() ? OptionalLong.of(Math.round(cost.getAsDouble() * 1_000_000)) : OptionalLong.empty(),
                new TreeMap<>(said.usage().details())
                        .entrySet().stream().map(ModelCallRecord::usageDetail).toList(),
                blocks(id),
                calls,
                request.toolResults().stream().map(this::result).toList());
    }

    private static UsageDetail usageDetail(Map.Entry<String, Long> count) {
        return new UsageDetail(UsageDetail.Scope.RESPONSE, count.getKey(), count.getValue());
    }

    private ModelInteraction.Response response() {
        return new ModelInteraction.Response(
                responseId,
                said.messageId(),
                said.stopReason().map(StopReason::wireName),
                previews.ofText(said.text()),
                previews.ofText(said.thinking()),
                Optional.of(route.format().shapeVersion()));
    }

    private ParseStatus parseStatus(List<ModelInteraction.ToolCall> calls) {
        if (!route.format().isRead()) {
            return ParseStatus.UNSUPPORTED;
        }
        if (request.state() == CallRequest.State.MALFORMED && request.model().isEmpty()) {
            return ParseStatus.MALFORMED;
        }
        boolean isSuccess = status.isPresent() && status.getAsInt() / 100 == 2;
        boolean isPartial = request.state() != CallRequest.State.COMPLETE
                || model().isEmpty()
                || isUndecodable
                || said.isPartial()
                || (isSuccess && said.stopReason().isEmpty())
                || calls.stream().anyMatch(call -> call.argumentsStatus() == ArgumentsStatus.PARTIAL_JSON);
        return isPartial ? ParseStatus.PARTIAL : ParseStatus.COMPLETE;
    }

    private static String callId(StreamSummary.ToolCall call, String interactionId) {
        return call.callId().isEmpty() ? interactionId + ":" + call.index() : call.callId();
    }

    private ModelInteraction.ToolCall call(StreamSummary.ToolCall call, String interactionId) {
        ToolName name = new ToolName(call.name());
        Optional<String> json = JsonDocument.parse(call.arguments()).map(JsonDocument::text);
        return new ModelInteraction.ToolCall(
                callId(call, interactionId),
                call.index(),
                Optional.of(call.callId())
                        .filter(id -> !id.isEmpty() && !ApiFormat.isOurId(id, call.name(), call.index())),
                name.raw(),
                name.normalized(),
                previews.ofText(call.arguments()),
                json.flatMap(previews::ofJson),
                argumentsStatus(call, json.isPresent()),
                name.interactionOrigin(),
                Optional.empty(),
                CallStatus.PROPOSED,
                name.origin() == ModelRow.ToolOrigin.MCP_PROXY ? Confidence.MEDIUM : Confidence.HIGH);
    }

    private static ArgumentsStatus argumentsStatus(StreamSummary.ToolCall call, boolean isJson) {
        if (isJson) {
            return ArgumentsStatus.VALID_JSON;
        }
        if (!call.isComplete()) {
            return ArgumentsStatus.PARTIAL_JSON;
        }
        String arguments = call.arguments().strip();
        if (arguments.isEmpty()) {
            return ArgumentsStatus.ABSENT;
        }
        return arguments.startsWith("{") || arguments.startsWith("[")
                ? ArgumentsStatus.MALFORMED_JSON
                : ArgumentsStatus.NOT_JSON;
    }

    private ModelInteraction.ToolResult result(CallRequest.ToolResult result) {
        boolean isReturned = status.isPresent();
        return new ModelInteraction.ToolResult(
                result.callId(),
                Optional.empty(),
                kind(result),
                previews.ofText(result.content()),
                result.json().flatMap(previews::ofJson),
                result.isError(),
                result.isError() ? CallStatus.ERROR : isReturned ? CallStatus.RETURNED_TO_MODEL : CallStatus.UNKNOWN,
                isReturned,
                Confidence.HIGH);
    }

    private static ContentKind kind(CallRequest.ToolResult result) {
        return switch (result.kind()) {
            case TEXT -> ContentKind.TEXT;
            case JSON -> ContentKind.JSON;
            case IMAGE -> ContentKind.IMAGE;
            case ABSENT -> ContentKind.UNKNOWN;
        };
    }

    /// What else than words went to the model, results of tools, then what it answered.
    private List<ContentBlock> blocks(String interactionId) {
        List<ContentBlock> blocks = new ArrayList<>();
        for (CallRequest.Part part : request.parts()) {
            blocks.add(block(blocks.size(), part));
        }
        for (CallRequest.ToolResult result : request.toolResults()) {
            blocks.add(block(
                    blocks.size(),
                    ContentKind.TOOL_RESULT,
                    previews.ofText(result.content()),
                    result.json().flatMap(previews::ofJson),
                    Optional.of(result.callId()),
                    Optional.empty(),
                    Optional.of(result.isError())));
        }
        for (Block block : said.blocks()) {
            blocks.add(block(blocks.size(), block, interactionId));
        }
        return blocks.size() > BLOCKS_MAX ? blocks.subList(0, BLOCKS_MAX) : blocks;
    }

    /// What an image or a file holds is never kept.
    private ContentBlock block(int index, CallRequest.Part part) {
        boolean isMarker = part.kind() == CallRequest.PartKind.CACHE_MARKER;
        Optional<String> name = part.name().map(previews::of);
        return new ContentBlock(
                index,
                switch (part.kind()) {
                    case IMAGE -> ContentKind.IMAGE;
                    case FILE -> ContentKind.FILE;
                    case CACHE_MARKER -> ContentKind.CACHE_MARKER;
                },
                Optional.empty(),
                Optional.empty(),
                part.mimeType().map(previews::of),
                isMarker ? Optional.empty() : Optional.of(true),
                isMarker ? Optional.empty() : name,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                isMarker ? name : Optional.empty(),
                Optional.empty(),
                Optional.of(part.rawType()));
    }

    private ContentBlock block(int index, Block block, String interactionId) {
        return switch (block) {
            case Block.Text(int from, int to) ->
                block(index, ContentKind.TEXT, said.text().substring(from, to));
            case Block.Thinking(int from, int to) ->
                block(index, ContentKind.REASONING, said.thinking().substring(from, to));
            case Block.Tool(int place) -> {
                StreamSummary.ToolCall call = said.toolCalls().get(place);
                Optional<String> arguments = previews.ofText(call.arguments());
                boolean isJson = JsonDocument.parse(call.arguments()).isPresent();
                yield block(
                        index,
                        ContentKind.TOOL_USE,
                        isJson ? Optional.empty() : arguments,
                        isJson ? arguments : Optional.empty(),
                        Optional.of(callId(call, interactionId)),
                        Optional.of(call.name()),
                        Optional.empty());
            }
        };
    }

    private ContentBlock block(int index, ContentKind kind, String text) {
        return block(
                index,
                kind,
                previews.ofText(text),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private static ContentBlock block(
            int index,
            ContentKind kind,
            Optional<String> text,
            Optional<String> json,
            Optional<String> callId,
            Optional<String> name,
            Optional<Boolean> isError) {
        return new ContentBlock(
                index,
                kind,
                text,
                json,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                callId,
                name,
                isError,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }
}
