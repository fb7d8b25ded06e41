package dev.capsem.events.vocabulary;

import java.util.Optional;
import java.util.OptionalLong;

/// The other events that an event belongs to.
///
/// @param sequenceNo its place within `streamId`
/// @param mcpCallId the JSON-RPC id as text
public record Correlation(
        Optional<TraceId> traceId,
        Optional<SpanId> spanId,
        Optional<EventId> parentEventId,
        Optional<String> streamId,
        Optional<String> activityId,
        OptionalLong sequenceNo,
        OptionalLong execId,
        Optional<String> turnId,
        Optional<String> messageId,
        Optional<String> toolCallId,
        Optional<String> mcpCallId) {
    public static final Correlation NONE = new Correlation(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());

    public Correlation withTrace(TraceId trace) {
        return with(Optional.of(trace), parentEventId, execId, toolCallId, mcpCallId);
    }

    public Correlation withParent(EventId parent) {
        return with(traceId, Optional.of(parent), execId, toolCallId, mcpCallId);
    }

    public Correlation withExec(long exec) {
        return with(traceId, parentEventId, OptionalLong.of(exec), toolCallId, mcpCallId);
    }

    /// A model asked for it under this id.
    public Correlation withToolCall(String callId) {
        return with(traceId, parentEventId, execId, Optional.of(callId), mcpCallId);
    }

    /// An MCP call is both the call and the tool call, under one id.
    public Correlation withMcpCall(String requestId) {
        return with(traceId, parentEventId, execId, Optional.of(requestId), Optional.of(requestId));
    }

    private Correlation with(
            Optional<TraceId> trace,
            Optional<EventId> parent,
            OptionalLong exec,
            Optional<String> toolCall,
            Optional<String> mcpCall) {
        return new Correlation(
                trace, spanId, parent, streamId, activityId, sequenceNo, exec, turnId, messageId, toolCall, mcpCall);
    }
}
