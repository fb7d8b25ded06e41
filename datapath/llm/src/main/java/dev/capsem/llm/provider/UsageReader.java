package dev.capsem.llm.provider;

import dev.capsem.llm.event.LlmEvent.Usage;
import dev.capsem.llm.json.JsonCursor;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/// Counts of tokens. The providers' names do not overlap, so one reader does for all.
final class UsageReader {
    private static final long ABSENT = -1;

    /// Most pieces have none.
    private Map<String, Long> details = Map.of();

    private long input = ABSENT;
    private long output = ABSENT;

    private UsageReader() {}

    static Usage read(JsonCursor in) {
        UsageReader reader = new UsageReader();
        reader.members(in);
        return new Usage(optional(reader.input), optional(reader.output), reader.details);
    }

    private void members(JsonCursor in) {
        if (!in.enterObject()) {
            return;
        }
        while (in.nextMember()) {
            switch (in.name()) {
                case "input_tokens", "prompt_tokens", "promptTokenCount", "inputTokens", "inputTokenCount" ->
                    input = later(in, input);
                case "output_tokens", "completion_tokens", "candidatesTokenCount", "outputTokens", "outputTokenCount" ->
                    output = later(in, output);
                case "cache_read_input_tokens", "cached_tokens", "cachedContentTokenCount", "cacheReadInputTokens" ->
                    detail(Usage.CACHE_READ, in);
                case "cache_creation_input_tokens", "cache_write_tokens", "cacheWriteInputTokens" ->
                    detail(Usage.CACHE_WRITE, in);
                case "ephemeral_1h_input_tokens" -> detail(Usage.CACHE_WRITE_1H, in);
                case "thinking_tokens", "reasoning_tokens", "thoughtsTokenCount" -> detail(Usage.THINKING, in);
                case "toolUsePromptTokenCount" -> detail(Usage.TOOL_USE_INPUT, in);
                case "cache_creation",
                        "input_tokens_details",
                        "output_tokens_details",
                        "prompt_tokens_details",
                        "completion_tokens_details" -> members(in);
                default -> in.skip();
            }
        }
    }

    private static long later(JsonCursor in, long before) {
        long count = in.integer(ABSENT);
        return count < 0 ? before : count;
    }

    private void detail(String name, JsonCursor in) {
        long count = in.integer(ABSENT);
        if (count >= 0) {
            if (details.isEmpty()) {
                details = new HashMap<>();
            }
            details.put(name, count);
        }
    }

    private static OptionalLong optional(long count) {
        return count < 0 ? OptionalLong.empty() : OptionalLong.of(count);
    }
}
