package dev.capsem.events.row;

import dev.capsem.events.vocabulary.WireNamed;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/// The real effect of an MCP tool, to be compared with the call that a model asked for.
///
/// @param interactionId the model interaction it belongs to, once known
/// @param mcpCallId the JSON-RPC id as text
public record McpExecutionEvidence(
        Optional<String> interactionId,
        String mcpCallId,
        String serverId,
        String toolName,
        String namespacedToolName,
        String transport,
        Optional<String> requestArgumentsRaw,
        Optional<String> requestArgumentsJson,
        ModelInteraction.ContentKind resultKind,
        Optional<String> resultPreview,
        Optional<String> resultJson,
        boolean isError,
        Duration latency,
        Optional<String> linkedModelInteractionId,
        Optional<String> linkedModelToolCallId,
        LinkStatus linkStatus)
        implements Projection {
    public static final RowShape SHAPE = RowShape.of(
                    "ai_mcp_execution_evidence",
                    "interaction_id",
                    "mcp_call_id",
                    "server_id",
                    "tool_name",
                    "namespaced_tool_name",
                    "transport",
                    "request_arguments_raw",
                    "request_arguments_json",
                    "result_kind",
                    "result_preview",
                    "result_json",
                    "is_error",
                    "latency_ms",
                    "linked_model_interaction_id",
                    "linked_model_tool_call_id",
                    "link_status")
            .leavingOpen("interaction_id", "linked_model_interaction_id", "linked_model_tool_call_id", "link_status");

    public enum LinkStatus implements WireNamed {
        LINKED,
        UNLINKED_PENDING,
        ORPHAN_MODEL_TOOL_CALL,
        ORPHAN_MCP_EXECUTION,
        AMBIGUOUS,
        NOT_APPLICABLE;

        private final String wireName = name().toLowerCase(Locale.ROOT);

        @Override
        public String wireName() {
            return wireName;
        }
    }

    @Override
    public RowShape shape() {
        return SHAPE;
    }

    @Override
    public void values(RowValues out) {
        out.text(interactionId);
        out.text(mcpCallId);
        out.text(serverId);
        out.text(toolName);
        out.text(namespacedToolName);
        out.text(transport);
        out.text(requestArgumentsRaw);
        out.text(requestArgumentsJson);
        out.name(resultKind);
        out.text(resultPreview);
        out.text(resultJson);
        out.flag(isError);
        out.millis(latency);
        out.text(linkedModelInteractionId);
        out.text(linkedModelToolCallId);
        out.name(linkStatus);
    }
}
