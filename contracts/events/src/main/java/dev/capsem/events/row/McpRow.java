package dev.capsem.events.row;

import dev.capsem.events.vocabulary.TraceId;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// One JSON-RPC request of the MCP endpoint.
///
/// @param serverName `builtin`, `file` or the external server's name
/// @param toolName namespaced, as the guest called it
/// @param requestId the JSON-RPC id as text
/// @param duration end to end, the wait for a person included, also when it was refused
public record McpRow(
        Instant at,
        String serverName,
        String method,
        Optional<String> toolName,
        Optional<String> requestId,
        Optional<String> requestPreview,
        Optional<String> responsePreview,
        Outcome decision,
        Duration duration,
        Optional<String> errorMessage,
        Optional<String> processName,
        long bytesSent,
        long bytesReceived,
        PolicyOutcome policy,
        Optional<TraceId> traceId)
        implements Projection {
    public static final RowShape SHAPE = RowShape.of(
                    "mcp_calls",
                    "timestamp",
                    "server_name",
                    "method",
                    "tool_name",
                    "request_id",
                    "request_preview",
                    "response_preview",
                    "decision",
                    "duration_ms",
                    "error_message",
                    "process_name",
                    "bytes_sent",
                    "bytes_received",
                    "policy_mode",
                    "policy_action",
                    "policy_rule",
                    "policy_reason",
                    PolicyOutcome.OUTCOME_COLUMN,
                    "trace_id")
            .adding(PolicyOutcome.OUTCOME_COLUMN);

    @Override
    public RowShape shape() {
        return SHAPE;
    }

    @Override
    public void values(RowValues out) {
        out.at(at);
        out.text(serverName);
        out.text(method);
        out.text(toolName);
        out.text(requestId);
        out.text(requestPreview);
        out.text(responsePreview);
        out.name(decision);
        out.millis(duration);
        out.text(errorMessage);
        out.text(processName);
        out.integer(bytesSent);
        out.integer(bytesReceived);
        policy.values(out);
        out.id(traceId);
    }
}
