package dev.capsem.events.row;

import dev.capsem.events.vocabulary.Confidence;
import dev.capsem.events.vocabulary.SourceEngine;
import dev.capsem.events.vocabulary.TraceId;
import dev.capsem.events.vocabulary.WireNamed;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/// A model call in provider-independent form: the `ai_*` tables.
///
/// @param interactionId unique within the session
public record ModelInteraction(
        String interactionId,
        TraceId traceId,
        Attribution attribution,
        SourceEngine sourceEngine,
        Provider provider,
        ApiFamily apiFamily,
        String model,
        ParseStatus parseStatus,
        EvidenceStatus evidenceStatus,
        Request request,
        Optional<Response> response,
        OptionalLong inputTokens,
        OptionalLong outputTokens,
        OptionalLong estimatedCostMicros,
        List<UsageDetail> usageDetails,
        List<ContentBlock> contentBlocks,
        List<ToolCall> toolCalls,
        List<ToolResult> toolResults)
        implements Row {
    public static final RowShape SHAPE = RowShape.of(
                    "ai_model_interactions",
                    "interaction_id",
                    "trace_id",
                    "attribution_scope",
                    "source_engine",
                    "origin_kind",
                    "accounting_owner",
                    "profile_id",
                    "vm_id",
                    "session_id",
                    "user_id",
                    "provider",
                    "api_family",
                    "model",
                    "parse_status",
                    "evidence_status",
                    "request_id",
                    "request_model",
                    "request_stream",
                    "request_system_prompt_preview",
                    "request_message_count",
                    "request_tools_declared_count",
                    "request_raw_shape_version",
                    "request_unknown_fields_present",
                    "response_id",
                    "response_provider_response_id",
                    "response_stop_reason",
                    "response_text_preview",
                    "response_thinking_preview",
                    "response_raw_shape_version",
                    "usage_input_tokens",
                    "usage_output_tokens",
                    "usage_estimated_cost_micros")
            .under("model_call_id")
            .leavingOpen("evidence_status");

    public ModelInteraction {
        usageDetails = List.copyOf(usageDetails);
        contentBlocks = List.copyOf(contentBlocks);
        toolCalls = List.copyOf(toolCalls);
        toolResults = List.copyOf(toolResults);
    }

    /// The request as parsed.
    ///
    /// @param rawShapeVersion which version of the provider's format the parser took it for
    public record Request(
            String requestId,
            Optional<String> model,
            boolean stream,
            Optional<String> systemPromptPreview,
            int messageCount,
            int toolsDeclaredCount,
            String rawShapeVersion,
            boolean hasUnknownFields) {}

    /// The response as parsed.
    public record Response(
            Optional<String> responseId,
            Optional<String> providerResponseId,
            Optional<String> stopReason,
            Optional<String> textPreview,
            Optional<String> thinkingPreview,
            Optional<String> rawShapeVersion) {
        static final Response NONE = new Response(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    public enum Provider implements WireNamed {
        OPENAI,
        ANTHROPIC,
        GOOGLE_GEMINI,
        UNKNOWN;

        private final String wireName = name().toLowerCase(Locale.ROOT);

        @Override
        public String wireName() {
            return wireName;
        }
    }

    public enum ApiFamily implements WireNamed {
        OPENAI_CHAT_COMPLETIONS,
        OPENAI_RESPONSES,
        ANTHROPIC_MESSAGES,
        GOOGLE_GEMINI_CONTENT,
        MCP,
        UNKNOWN;

        private final String wireName = name().toLowerCase(Locale.ROOT);

        @Override
        public String wireName() {
            return wireName;
        }
    }

    public enum ParseStatus implements WireNamed {
        COMPLETE,
        PARTIAL,
        MALFORMED,
        UNSUPPORTED,
        REDACTED;

        private final String wireName = name().toLowerCase(Locale.ROOT);

        @Override
        public String wireName() {
            return wireName;
        }
    }

    public enum EvidenceStatus implements WireNamed {
        COMPLETE,
        PARTIAL,
        AMBIGUOUS,
        ORPHANED,
        UNTRUSTED;

        private final String wireName = name().toLowerCase(Locale.ROOT);

        @Override
        public String wireName() {
            return wireName;
        }
    }

    public enum ContentKind implements WireNamed {
        TEXT,
        JSON,
        IMAGE,
        FILE,
        TOOL_USE,
        TOOL_RESULT,
        REASONING,
        CACHE_MARKER,
        REDACTED,
        UNKNOWN;

        private final String wireName = name().toLowerCase(Locale.ROOT);

        @Override
        public String wireName() {
            return wireName;
        }
    }

    public enum ArgumentsStatus implements WireNamed {
        VALID_JSON,
        PARTIAL_JSON,
        MALFORMED_JSON,
        NOT_JSON,
        REDACTED,
        ABSENT;

        private final String wireName = name().toLowerCase(Locale.ROOT);

        @Override
        public String wireName() {
            return wireName;
        }
    }

    public enum ToolOrigin implements WireNamed {
        NATIVE_PROVIDER_TOOL,
        MCP_TOOL,
        LOCAL_BUILTIN_TOOL,
        UNKNOWN;

        private final String wireName = name().toLowerCase(Locale.ROOT);

        @Override
        public String wireName() {
            return wireName;
        }
    }

    public enum CallStatus implements WireNamed {
        PROPOSED,
        EXECUTED,
        BLOCKED,
        RETURNED_TO_MODEL,
        ERROR,
        UNKNOWN;

        private final String wireName = name().toLowerCase(Locale.ROOT);

        @Override
        public String wireName() {
            return wireName;
        }
    }

    /// A finer count of tokens, for example cache reads.
    public record UsageDetail(Scope scope, String name, long value) implements Row {
        public static final RowShape SHAPE =
                RowShape.of("ai_usage_details", "scope", "name", "value").under("interaction_id");

        /// What was counted.
        public enum Scope implements WireNamed {
            INTERACTION,
            RESPONSE;

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
            out.name(scope);
            out.text(name);
            out.integer(value);
        }
    }

    /// One block of the conversation.
    public record ContentBlock(
            int index,
            ContentKind kind,
            Optional<String> textPreview,
            Optional<String> jsonPreview,
            Optional<String> mimeType,
            Optional<Boolean> redacted,
            Optional<String> fileName,
            Optional<String> pathClass,
            Optional<String> toolCallId,
            Optional<String> name,
            Optional<Boolean> isError,
            Optional<String> marker,
            Optional<String> reason,
            Optional<String> rawType)
            implements Row {
        public static final RowShape SHAPE = RowShape.of(
                        "ai_content_blocks",
                        "block_index",
                        "kind",
                        "text_preview",
                        "json_preview",
                        "mime_type",
                        "redacted",
                        "file_name",
                        "path_class",
                        "tool_call_id",
                        "name",
                        "is_error",
                        "marker",
                        "reason",
                        "raw_type")
                .under("interaction_id");

        @Override
        public RowShape shape() {
            return SHAPE;
        }

        @Override
        public void values(RowValues out) {
            out.integer(index);
            out.name(kind);
            out.text(textPreview);
            out.text(jsonPreview);
            out.text(mimeType);
            out.flag(redacted);
            out.text(fileName);
            out.text(pathClass);
            out.text(toolCallId);
            out.text(name);
            out.flag(isError);
            out.text(marker);
            out.text(reason);
            out.text(rawType);
        }
    }

    /// A tool call in normalized form. Which MCP call answered it is found out later.
    ///
    /// @param normalizedName `rawName` without the client's prefix, `__` as `.`
    public record ToolCall(
            String toolCallId,
            int index,
            Optional<String> providerCallId,
            String rawName,
            String normalizedName,
            Optional<String> argumentsRaw,
            Optional<String> argumentsJson,
            ArgumentsStatus argumentsStatus,
            ToolOrigin origin,
            Optional<String> linkedMcpCallId,
            CallStatus status,
            Confidence parseConfidence)
            implements Row {
        public static final RowShape SHAPE = RowShape.of(
                        "ai_model_tool_calls",
                        "tool_call_id",
                        "call_index",
                        "provider_call_id",
                        "raw_name",
                        "normalized_name",
                        "arguments_raw",
                        "arguments_json",
                        "arguments_status",
                        "origin",
                        "linked_mcp_call_id",
                        "status",
                        "parse_confidence")
                .under("interaction_id")
                .leavingOpen("linked_mcp_call_id", "status");

        @Override
        public RowShape shape() {
            return SHAPE;
        }

        @Override
        public void values(RowValues out) {
            out.text(toolCallId);
            out.integer(index);
            out.text(providerCallId);
            out.text(rawName);
            out.text(normalizedName);
            out.text(argumentsRaw);
            out.text(argumentsJson);
            out.name(argumentsStatus);
            out.name(origin);
            out.text(linkedMcpCallId);
            out.name(status);
            out.name(parseConfidence);
        }
    }

    /// A tool result in normalized form.
    public record ToolResult(
            String toolCallId,
            Optional<String> linkedMcpCallId,
            ContentKind contentKind,
            Optional<String> contentPreview,
            Optional<String> contentJson,
            boolean isError,
            CallStatus resultStatus,
            boolean returnedToModel,
            Confidence parseConfidence)
            implements Row {
        public static final RowShape SHAPE = RowShape.of(
                        "ai_model_tool_results",
                        "tool_call_id",
                        "linked_mcp_call_id",
                        "content_kind",
                        "content_preview",
                        "content_json",
                        "is_error",
                        "result_status",
                        "returned_to_model",
                        "parse_confidence")
                .under("interaction_id")
                .leavingOpen("linked_mcp_call_id", "result_status", "returned_to_model");

        @Override
        public RowShape shape() {
            return SHAPE;
        }

        @Override
        public void values(RowValues out) {
            out.text(toolCallId);
            out.text(linkedMcpCallId);
            out.name(contentKind);
            out.text(contentPreview);
            out.text(contentJson);
            out.flag(isError);
            out.name(resultStatus);
            out.flag(returnedToModel);
            out.name(parseConfidence);
        }
    }

    @Override
    public RowShape shape() {
        return SHAPE;
    }

    @Override
    public void values(RowValues out) {
        out.text(interactionId);
        out.text(traceId.value());
        out.name(attribution.scope());
        out.name(sourceEngine);
        out.name(attribution.originKind());
        out.text(attribution.accountingOwner());
        out.text(attribution.profileId());
        out.text(attribution.sandboxId());
        out.text(attribution.sessionId());
        out.text(attribution.userId());
        out.name(provider);
        out.name(apiFamily);
        out.text(model);
        out.name(parseStatus);
        out.name(evidenceStatus);
        out.text(request.requestId());
        out.text(request.model());
        out.flag(request.stream());
        out.text(request.systemPromptPreview());
        out.integer(request.messageCount());
        out.integer(request.toolsDeclaredCount());
        out.text(request.rawShapeVersion());
        out.flag(request.hasUnknownFields());
        Response answer = response.orElse(Response.NONE);
        out.text(answer.responseId());
        out.text(answer.providerResponseId());
        out.text(answer.stopReason());
        out.text(answer.textPreview());
        out.text(answer.thinkingPreview());
        out.text(answer.rawShapeVersion());
        out.integer(inputTokens);
        out.integer(outputTokens);
        out.integer(estimatedCostMicros);
    }

    @Override
    public Optional<String> key() {
        return Optional.of(interactionId);
    }

    @Override
    public List<Row> children() {
        List<Row> rows = new ArrayList<>(usageDetails);
        rows.addAll(contentBlocks);
        rows.addAll(toolCalls);
        rows.addAll(toolResults);
        return rows;
    }
}
