package dev.capsem.llm.event;

import java.util.List;
import java.util.Optional;

/// The summary of a whole reply.
///
/// @param text all text, as far as it is kept
/// @param toolCalls in the order of their index
/// @param blocks runs of one kind, in the order they came
/// @param unknownEvents how many events were not understood
/// @param error the first error the provider reported
/// @param isPartial whether text, arguments or calls may be missing, by a limit or because a piece was not JSON
public record StreamSummary(
        Optional<String> messageId,
        Optional<String> model,
        String text,
        String thinking,
        List<ToolCall> toolCalls,
        LlmEvent.Usage usage,
        Optional<StopReason> stopReason,
        List<Block> blocks,
        long unknownEvents,
        Optional<String> error,
        boolean isPartial) {
    public StreamSummary {
        toolCalls = List.copyOf(toolCalls);
        blocks = List.copyOf(blocks);
    }

    /// @param arguments the JSON text as it came
    /// @param isComplete whether the provider said that the arguments are
    public record ToolCall(int index, String callId, String name, String arguments, boolean isComplete) {
        @Override
        public String toString() {
            return "ToolCall[" + index + ", " + callId + ", " + name + "]";
        }
    }

    /// A run of text or thinking, or one tool call.
    public sealed interface Block {
        /// @param from, to where it lies in [StreamSummary#text]
        record Text(int from, int to) implements Block {}

        /// @param from, to where it lies in [StreamSummary#thinking]
        record Thinking(int from, int to) implements Block {}

        /// @param call its place in [StreamSummary#toolCalls]
        record Tool(int call) implements Block {}
    }

    /// Pure: the same events give the same summary.
    public static StreamSummary collectSummary(List<LlmEvent> events) {
        SummaryBuilder builder = new SummaryBuilder();
        events.forEach(builder);
        return builder.build();
    }

    @Override
    public String toString() {
        return "StreamSummary[" + text.length() + " characters, " + toolCalls.size() + " tool calls]";
    }
}
