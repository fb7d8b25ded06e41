package dev.capsem.llm.provider;

import dev.capsem.llm.json.KnownNames;
import java.util.List;

/// Every member, type and event name the formats use. Members that are known and not read are here too, so that new
/// ones stand out.
final class WireNames {
    private static final String SHARED = """
            id type object model role content text name index input output usage error message messages system tools
            tool_choice stream metadata temperature top_p top_k max_tokens delta created status code data""";

    private static final String ANTHROPIC = """
            content_block thinking partial_json signature stop_reason stop_sequence stop_sequences completion
            tool_use_id tool_name is_error container context_management mcp_servers service_tier cache_control
            output_config betas anthropic_beta anthropic_version speed inference_geo output_format
            message_start content_block_start content_block_delta content_block_stop message_delta message_stop ping
            text_delta thinking_delta input_json_delta signature_delta citations_delta tool_use server_tool_use
            redacted_thinking tool_result assistant user""";

    private static final String OPENAI_CHAT = """
            choices finish_reason tool_calls tool_call_id function function_call functions arguments custom
            reasoning_content reasoning refusal logprobs system_fingerprint stream_options max_completion_tokens
            response_format frequency_penalty presence_penalty logit_bias top_logprobs n stop seed user
            parallel_tool_calls reasoning_effort modalities audio prediction store web_search_options verbosity
            prompt_cache_key safety_identifier prompt_cache_retention obfuscation prompt suffix echo best_of
            dimensions encoding_format developer tool""";

    private static final String OPENAI_RESPONSES = """
            response item item_id output_index content_index summary_index sequence_number call_id instructions
            summary incomplete_details reason include truncation previous_response_id max_output_tokens
            max_tool_calls background conversation client_metadata
            response.created response.in_progress response.queued response.completed response.incomplete
            response.failed response.cancelled response.output_item.added response.output_item.done
            response.output_text.delta response.output_text.done response.output_text.annotation.added
            response.content_part.added response.content_part.done response.refusal.delta response.refusal.done
            response.reasoning_summary_text.delta response.reasoning_summary_text.done
            response.reasoning_summary_part.added response.reasoning_summary_part.done
            response.reasoning_text.delta response.reasoning_text.done
            response.function_call_arguments.delta response.function_call_arguments.done
            response.custom_tool_call_input.delta response.custom_tool_call_input.done
            custom_tool_call function_call_output custom_tool_call_output local_shell_call_output shell_call_output
            apply_patch_call_output computer_call_output completed incomplete failed cancelled""";

    private static final String GOOGLE = """
            candidates parts thought thoughtSignature functionCall functionResponse function_response args
            finishReason usageMetadata modelVersion responseId promptFeedback blockReason contents systemInstruction
            system_instruction functionDeclarations function_declarations generationConfig generation_config
            safetySettings safety_settings requests toolConfig tool_config cachedContent cached_content labels request project
            user_prompt_id session_id serviceTier""";

    private static final String USAGE = """
            input_tokens output_tokens cache_read_input_tokens cache_creation_input_tokens cache_creation
            ephemeral_1h_input_tokens output_tokens_details input_tokens_details thinking_tokens prompt_tokens
            completion_tokens prompt_tokens_details completion_tokens_details cached_tokens cache_write_tokens
            reasoning_tokens promptTokenCount candidatesTokenCount cachedContentTokenCount thoughtsTokenCount
            toolUsePromptTokenCount""";

    private static final String OLLAMA = """
            response thinking done done_reason images options keep_alive format template raw context think created_at
            total_duration load_duration prompt_eval_duration eval_duration prompt_eval_count eval_count""";

    private static final String BEDROCK = """
            bytes toolConfig inferenceConfig additionalModelRequestFields additionalModelResponseFieldPaths
            guardrailConfig promptVariables requestMetadata performanceConfig toolUse toolUseId toolResult reasoningContent
            reasoningText stopReason contentBlockIndex start messageStart contentBlockStart contentBlockDelta
            contentBlockStop messageStop metadata chunk metrics trace inputTokens outputTokens cacheReadInputTokens
            cacheWriteInputTokens inputTokenCount outputTokenCount amazon-bedrock-invocationMetrics inputText""";

    /// Of what is attached to a message.
    private static final String PARTS = """
            source media_type title filename file file_data image image_url url document video audio input_audio
            inlineData inline_data fileData mimeType mime_type displayName ttl cachePoint input_image input_file
            container_upload""";

    static final KnownNames ALL = new KnownNames(List.of(
            String.join(" ", SHARED, ANTHROPIC, OPENAI_CHAT, OPENAI_RESPONSES, GOOGLE, USAGE, OLLAMA, BEDROCK, PARTS)
                    .split("\\s+")));

    private WireNames() {}
}
