package dev.capsem.events.row;

import dev.capsem.events.vocabulary.TraceId;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/// One HTTP request that reached the network engine, allowed or not.
///
/// @param connectionType `https`, `http`, `websocket`, …
/// @param matchedRule the id of the rule that decided, if one did
public record NetRow(
        Instant at,
        String domain,
        int port,
        Outcome decision,
        Caller caller,
        Optional<String> method,
        Optional<String> path,
        Optional<String> query,
        OptionalInt statusCode,
        long bytesSent,
        long bytesReceived,
        Duration duration,
        Optional<String> matchedRule,
        Previews previews,
        String connectionType,
        PolicyOutcome policy,
        Optional<TraceId> traceId)
        implements Projection {
    public static final RowShape SHAPE = RowShape.of(
                    "net_events",
                    "timestamp",
                    "domain",
                    "port",
                    "decision",
                    "process_name",
                    "pid",
                    "method",
                    "path",
                    "query",
                    "status_code",
                    "bytes_sent",
                    "bytes_received",
                    "duration_ms",
                    "matched_rule",
                    "request_headers",
                    "response_headers",
                    "request_body_preview",
                    "response_body_preview",
                    "conn_type",
                    "policy_mode",
                    "policy_action",
                    "policy_rule",
                    "policy_reason",
                    PolicyOutcome.OUTCOME_COLUMN,
                    "trace_id")
            .adding(PolicyOutcome.OUTCOME_COLUMN);

    /// Redacted excerpts of what went each way.
    public record Previews(
            Optional<String> requestHeaders,
            Optional<String> responseHeaders,
            Optional<String> requestBody,
            Optional<String> responseBody) {
        public static final Previews NONE =
                new Previews(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    @Override
    public RowShape shape() {
        return SHAPE;
    }

    @Override
    public void values(RowValues out) {
        out.at(at);
        out.text(domain);
        out.integer(port);
        out.name(decision);
        caller.values(out);
        out.text(method);
        out.text(path);
        out.text(query);
        out.integer(statusCode);
        out.integer(bytesSent);
        out.integer(bytesReceived);
        out.millis(duration);
        out.text(matchedRule);
        out.text(previews.requestHeaders());
        out.text(previews.responseHeaders());
        out.text(previews.requestBody());
        out.text(previews.responseBody());
        out.text(connectionType);
        policy.values(out);
        out.id(traceId);
    }
}
