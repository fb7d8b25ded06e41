package dev.capsem.events.vocabulary;

import java.util.Optional;
import java.util.OptionalLong;

/// What else an event belongs to.
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
        return new Correlation(
                Optional.of(trace),
                spanId,
                parentEventId,
                streamId,
                activityId,
                sequenceNo,
                execId,
                turnId,
                messageId,
                toolCallId,
                mcpCallId);
    }

    public Correlation withParent(EventId parent) {
        return new Correlation(
                traceId,
                spanId,
                Optional.of(parent),
                streamId,
                activityId,
                sequenceNo,
                execId,
                turnId,
                messageId,
                toolCallId,
                mcpCallId);
    }

    public Correlation withExec(long exec) {
        return new Correlation(
                traceId,
                spanId,
                parentEventId,
                streamId,
                activityId,
                sequenceNo,
                OptionalLong.of(exec),
                turnId,
                messageId,
                toolCallId,
                mcpCallId);
    }

    /// A model asked for it under this id.
    public Correlation withToolCall(String callId) {
        return new Correlation(
                traceId,
                spanId,
                parentEventId,
                streamId,
                activityId,
                sequenceNo,
                execId,
                turnId,
                messageId,
                Optional.of(callId),
                mcpCallId);
    }

    /// An MCP call is both the call and the tool call, under one id.
    public Correlation withMcpCall(String requestId) {
        return new Correlation(
                traceId,
                spanId,
                parentEventId,
                streamId,
                activityId,
                sequenceNo,
                execId,
                turnId,
                messageId,
                Optional.of(requestId),
                Optional.of(requestId));
    }
}
