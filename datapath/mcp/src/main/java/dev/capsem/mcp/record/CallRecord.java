package dev.capsem.mcp.record;

import dev.capsem.events.row.McpExecutionEvidence;
import dev.capsem.events.row.McpRow;
import dev.capsem.events.row.ModelInteraction;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.row.PolicyOutcome;
import dev.capsem.events.row.Projection;
import dev.capsem.events.security.JsonDocument;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.vocabulary.TraceId;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.jsonrpc.JsonRpcError;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The rows of one call: what it was, what became of it.
///
/// @param requestId the JSON-RPC id as text; absent for a notification
/// @param params as they were sent
/// @param processName the guest's claim
/// @param modelCall under which a model asked for it
/// @param mask hides secrets in what is kept
public record CallRecord(
        Instant at,
        McpRequest event,
        Optional<String> requestId,
        Optional<ObjectNode> params,
        Optional<String> processName,
        Optional<TraceId> traceId,
        Optional<String> modelCall,
        UnaryOperator<String> mask) {
    /// Of each preview, in bytes of UTF-8.
    static final int PREVIEW_BYTES_MAX = 4 * 1024;

    private static final String TRANSPORT = "framed";
    private static final String REDACTED = "redacted_by_policy";

    /// How it ended.
    public sealed interface End {
        /// @param result as the server gave it
        record Answered(JsonNode result, Duration duration) implements End {}

        /// Nobody was asked, or nobody answered.
        record Failed(JsonRpcError error, Duration duration) implements End {}

        /// Stopped before it reached anybody; a person may have been waited for.
        record Refused(JsonRpcError error, Duration duration) implements End {}

        /// It ran, and its answer was withheld.
        record Withheld(JsonRpcError error, Duration duration) implements End {}
    }

    /// @param policy of the request's evaluation and the response's, the one that interfered
    public List<Projection> rows(End end, PolicyOutcome policy) {
        List<Projection> rows = new ArrayList<>();
        rows.add(row(end, policy));
        if (event.method().equals("tools/call") && requestId.isPresent() && !(end instanceof End.Refused)) {
            rows.add(evidence(end));
        }
        return rows;
    }

    private McpRow row(End end, PolicyOutcome policy) {
        boolean isRedacted = end instanceof End.Refused;
        Optional<String> sent = params.map(Json::text);
        return new McpRow(
                at,
                event.serverName(),
                event.method(),
                event.namespacedName(),
                requestId,
                isRedacted ? params.map(this::redacted) : sent.map(this::preview),
                end instanceof End.Answered answered
                        ? Optional.of(preview(Json.text(answered.result())))
                        : Optional.empty(),
                switch (end) {
                    case End.Answered _ -> Outcome.ALLOWED;
                    case End.Failed _ -> Outcome.ERROR;
                    case End.Refused _, End.Withheld _ -> Outcome.DENIED;
                },
                duration(end),
                error(end).map(JsonRpcError::message),
                processName,
                sent.map(text -> (long) utf8Length(text)).orElse(0L),
                end instanceof End.Answered answered ? utf8Length(Json.text(answered.result())) : 0,
                policy,
                traceId);
    }

    private McpExecutionEvidence evidence(End end) {
        Optional<String> arguments = event.arguments().map(JsonDocument::text);
        Optional<String> result =
                end instanceof End.Answered answered ? Optional.of(Json.text(answered.result())) : Optional.empty();
        return new McpExecutionEvidence(
                Optional.empty(),
                requestId.orElse("null"),
                event.serverName(),
                event.toolName().orElse(""),
                event.namespacedName().orElse(""),
                TRANSPORT,
                arguments.map(this::preview),
                arguments.filter(CallRecord::isWhole).map(mask),
                ModelInteraction.ContentKind.JSON,
                result.map(this::preview),
                result.filter(CallRecord::isWhole).map(mask),
                !(end instanceof End.Answered answered)
                        || answered.result().path("isError").asBoolean(false),
                duration(end),
                Optional.empty(),
                modelCall,
                // Whoever stores it makes the link, when both rows are there.
                McpExecutionEvidence.LinkStatus.UNLINKED_PENDING);
    }

    /// Masked before it is cut: half a secret would not be known for one.
    private String preview(String text) {
        return cut(mask.apply(text), PREVIEW_BYTES_MAX);
    }

    private static Duration duration(End end) {
        return switch (end) {
            case End.Answered answered -> answered.duration();
            case End.Failed failed -> failed.duration();
            case End.Withheld withheld -> withheld.duration();
            case End.Refused refused -> refused.duration();
        };
    }

    private static Optional<JsonRpcError> error(End end) {
        return switch (end) {
            case End.Answered _ -> Optional.empty();
            case End.Failed failed -> Optional.of(failed.error());
            case End.Withheld withheld -> Optional.of(withheld.error());
            case End.Refused refused -> Optional.of(refused.error());
        };
    }

    /// Everything that a rule may have objected to is taken out; only the name stays.
    private String redacted(ObjectNode sent) {
        ObjectNode shown = Json.object();
        JsonNode name = sent.get("name");
        if (name != null && name.isString()) {
            shown.set("name", name);
        }
        shown.putObject("arguments").put(REDACTED, true);
        if (sent.has("_meta")) {
            shown.putObject("_meta").put(REDACTED, true);
        }
        return cut(Json.text(shown), PREVIEW_BYTES_MAX);
    }

    /// Half a document would no longer be JSON.
    private static boolean isWhole(String text) {
        return utf8Length(text) <= PREVIEW_BYTES_MAX;
    }

    /// On a boundary between characters.
    static String cut(String text, int bytesMax) {
        if (text.length() <= bytesMax / 3) {
            return text;
        }
        int bytes = 0;
        int at = 0;
        while (at < text.length()) {
            int character = text.codePointAt(at);
            bytes += character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
            if (bytes > bytesMax) {
                break;
            }
            at += Character.charCount(character);
        }
        return text.substring(0, at);
    }

    private static int utf8Length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
