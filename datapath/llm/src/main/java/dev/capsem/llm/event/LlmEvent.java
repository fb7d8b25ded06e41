package dev.capsem.llm.event;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// One thing a model's reply says, streamed or not.
public sealed interface LlmEvent {
    /// The reply began.
    record MessageStart(Optional<String> messageId, Optional<String> model) implements LlmEvent {}

    record TextDelta(int index, String text) implements LlmEvent {
        @Override
        public String toString() {
            return "TextDelta[" + index + ", " + text.length() + " characters]";
        }
    }

    /// Reasoning, where the provider shows it.
    record ThinkingDelta(int index, String text) implements LlmEvent {
        @Override
        public String toString() {
            return "ThinkingDelta[" + index + ", " + text.length() + " characters]";
        }
    }

    record ToolCallStart(int index, String callId, String name) implements LlmEvent {}

    /// More of the arguments' JSON text.
    record ToolCallArgumentDelta(int index, String delta) implements LlmEvent {
        @Override
        public String toString() {
            return "ToolCallArgumentDelta[" + index + ", " + delta.length() + " characters]";
        }
    }

    record ToolCallEnd(int index) implements LlmEvent {}

    record ContentBlockEnd(int index) implements LlmEvent {}

    /// Counts so far; later ones replace earlier ones, field by field.
    record Usage(OptionalLong inputTokens, OptionalLong outputTokens, Map<String, Long> details) implements LlmEvent {
        public static final Usage NONE = new Usage(OptionalLong.empty(), OptionalLong.empty(), Map.of());

        /// Names of the finer counts.
        public static final String CACHE_READ = "cache_read";

        public static final String CACHE_WRITE = "cache_write";

        /// The part of [#CACHE_WRITE] that is kept for an hour, at another price.
        public static final String CACHE_WRITE_1H = "cache_write_1h";

        public static final String THINKING = "thinking";

        /// What results of the provider's own tools added to the input.
        public static final String TOOL_USE_INPUT = "tool_use_input";

        public Usage {
            details = Map.copyOf(details);
        }

        public long detail(String name) {
            return details.getOrDefault(name, 0L);
        }
    }

    /// The reply is over, as far as the provider says.
    record MessageEnd(Optional<StopReason> stopReason) implements LlmEvent {}

    /// Something that was not understood. It is counted, never guessed at.
    ///
    /// @param raw its beginning
    record Unknown(String eventType, String raw) implements LlmEvent {
        /// The provider reported an error.
        public static final String ERROR = "error";

        /// A piece that is not the JSON it should be: content may be lost.
        public static final String MALFORMED = "malformed";

        /// A piece over a limit: content is lost.
        public static final String OVERSIZED = "oversized";

        /// Enough to see what it was.
        public static final int RAW_CHARACTERS_MAX = 256;

        public Unknown {
            raw = raw.length() > RAW_CHARACTERS_MAX ? raw.substring(0, RAW_CHARACTERS_MAX) : raw;
        }

        @Override
        public String toString() {
            return "Unknown[" + eventType + "]";
        }
    }
}
