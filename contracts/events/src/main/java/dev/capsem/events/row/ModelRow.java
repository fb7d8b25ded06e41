package dev.capsem.events.row;

import dev.capsem.events.vocabulary.TraceId;
import dev.capsem.events.vocabulary.WireNamed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// One call of a model API, with the tools it asked for and the results it was given.
///
/// @param interaction the normalized form, where the traffic could be parsed
public record ModelRow(
        Instant at,
        String provider,
        Optional<String> model,
        Caller caller,
        String method,
        String path,
        boolean stream,
        Request request,
        Response response,
        Usage usage,
        Duration duration,
        Optional<TraceId> traceId,
        List<ToolCall> toolCalls,
        List<ToolResponse> toolResponses,
        Optional<ModelInteraction> interaction)
        implements Projection {
    public static final RowShape SHAPE = RowShape.of(
            "model_calls",
            "timestamp",
            "provider",
            "model",
            "process_name",
            "pid",
            "method",
            "path",
            "stream",
            "system_prompt_preview",
            "messages_count",
            "tools_count",
            "request_bytes",
            "request_body_preview",
            "message_id",
            "status_code",
            "text_content",
            "thinking_content",
            "stop_reason",
            "input_tokens",
            "output_tokens",
            "duration_ms",
            "response_bytes",
            "estimated_cost_usd",
            "trace_id",
            "usage_details");

    public ModelRow {
        toolCalls = List.copyOf(toolCalls);
        toolResponses = List.copyOf(toolResponses);
    }

    /// The request to the model.
    public record Request(
            Optional<String> systemPromptPreview,
            int messagesCount,
            int toolsCount,
            long bytes,
            Optional<String> bodyPreview) {}

    /// The model's answer.
    public record Response(
            Optional<String> messageId,
            OptionalInt statusCode,
            Optional<String> textContent,
            Optional<String> thinkingContent,
            Optional<String> stopReason,
            long bytes) {}

    /// @param estimatedCostUsd absent when the model's price is not known: that is not the same as free
    /// @param details a JSON object of finer counts
    public record Usage(
            OptionalLong inputTokens,
            OptionalLong outputTokens,
            OptionalDouble estimatedCostUsd,
            Optional<String> details) {
        public static final Usage UNKNOWN =
                new Usage(OptionalLong.empty(), OptionalLong.empty(), OptionalDouble.empty(), Optional.empty());
    }

    /// A tool that the model asked for.
    public record ToolCall(
            int index,
            String callId,
            String toolName,
            Optional<String> arguments,
            ToolOrigin origin,
            Optional<TraceId> traceId)
            implements Row {
        public static final RowShape SHAPE = RowShape.of(
                        "tool_calls", "call_index", "call_id", "tool_name", "arguments", "origin", "trace_id")
                .under("model_call_id");

        @Override
        public RowShape shape() {
            return SHAPE;
        }

        @Override
        public void values(RowValues out) {
            out.integer(index);
            out.text(callId);
            out.text(toolName);
            out.text(arguments);
            out.name(origin);
            out.id(traceId);
        }
    }

    /// The side that would run the tool: the client itself, a built-in of ours, or an MCP server behind us.
    public enum ToolOrigin implements WireNamed {
        NATIVE,
        LOCAL,
        MCP_PROXY;

        private final String wireName = name().toLowerCase(Locale.ROOT);

        @Override
        public String wireName() {
            return wireName;
        }
    }

    /// A tool's result that the client handed to the model in this call.
    public record ToolResponse(
            String callId, Optional<String> contentPreview, boolean isError, Optional<TraceId> traceId) implements Row {
        public static final RowShape SHAPE = RowShape.of(
                        "tool_responses", "call_id", "content_preview", "is_error", "trace_id")
                .under("model_call_id");

        @Override
        public RowShape shape() {
            return SHAPE;
        }

        @Override
        public void values(RowValues out) {
            out.text(callId);
            out.text(contentPreview);
            out.flag(isError);
            out.id(traceId);
        }
    }

    @Override
    public RowShape shape() {
        return SHAPE;
    }

    @Override
    public void values(RowValues out) {
        out.at(at);
        out.text(provider);
        out.text(model);
        caller.values(out);
        out.text(method);
        out.text(path);
        out.flag(stream);
        out.text(request.systemPromptPreview());
        out.integer(request.messagesCount());
        out.integer(request.toolsCount());
        out.integer(request.bytes());
        out.text(request.bodyPreview());
        out.text(response.messageId());
        out.integer(response.statusCode());
        out.text(response.textContent());
        out.text(response.thinkingContent());
        out.text(response.stopReason());
        out.integer(usage.inputTokens());
        out.integer(usage.outputTokens());
        out.millis(duration);
        out.integer(response.bytes());
        out.real(usage.estimatedCostUsd());
        out.id(traceId);
        out.text(usage.details());
    }

    @Override
    public List<Row> children() {
        List<Row> rows = new ArrayList<>(toolCalls);
        rows.addAll(toolResponses);
        interaction.ifPresent(rows::add);
        return rows;
    }
}
