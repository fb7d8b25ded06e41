package dev.capsem.llm.event;

/// Why a reply ended.
public sealed interface StopReason {
    StopReason END_TURN = new EndTurn();
    StopReason TOOL_USE = new ToolUse();
    StopReason MAX_TOKENS = new MaxTokens();
    StopReason CONTENT_FILTER = new ContentFilter();

    /// The name it is stored under.
    String wireName();

    record EndTurn() implements StopReason {
        @Override
        public String wireName() {
            return "end_turn";
        }
    }

    record ToolUse() implements StopReason {
        @Override
        public String wireName() {
            return "tool_use";
        }
    }

    record MaxTokens() implements StopReason {
        @Override
        public String wireName() {
            return "max_tokens";
        }
    }

    record ContentFilter() implements StopReason {
        @Override
        public String wireName() {
            return "content_filter";
        }
    }

    /// Any other, in the provider's word.
    record Other(String wireName) implements StopReason {
        /// The provider chose the word; ours are shorter.
        private static final int LENGTH_MAX = 64;

        public Other {
            wireName = wireName.length() > LENGTH_MAX ? wireName.substring(0, LENGTH_MAX) : wireName;
        }
    }
}
