package dev.capsem.llm.provider;

import java.util.List;
import java.util.Optional;

/// What a request to a model says, as far as it could be read.
///
/// @param messages how many turns or items of input it carries
/// @param toolResults the results handed to the model with this call, not those of earlier turns
/// @param hasUnknownFields whether it has members that this version does not know
public record CallRequest(
        Optional<String> model,
        boolean isStream,
        Optional<String> system,
        int messages,
        int tools,
        List<ToolResult> toolResults,
        boolean hasUnknownFields,
        State state) {
    /// More results in one request are not kept.
    public static final int TOOL_RESULTS_MAX = 1_000;

    /// How much of it was understood.
    public enum State {
        COMPLETE,
        /// Not JSON to the end; what came before the error stands.
        MALFORMED,
        /// There was no body to read, or it was larger than what is inspected.
        UNREAD
    }

    public CallRequest {
        toolResults = List.copyOf(toolResults);
    }

    static final CallRequest UNREAD =
            new CallRequest(Optional.empty(), false, Optional.empty(), 0, 0, List.of(), false, State.UNREAD);

    /// Some formats say in the path what others say in the body. The path counts, as it does for their servers: a body
    /// must not name an allowed model for a path that leads to another.
    CallRequest withPath(Optional<String> pathModel, boolean isStreamPath) {
        return new CallRequest(
                pathModel.or(() -> model),
                isStream || isStreamPath,
                system,
                messages,
                tools,
                toolResults,
                hasUnknownFields,
                state);
    }

    /// @param content as text
    /// @param json the content's own spelling if it is structured
    public record ToolResult(String callId, String content, Kind kind, Optional<String> json, boolean isError) {
        public enum Kind {
            TEXT,
            JSON,
            IMAGE,
            ABSENT
        }

        @Override
        public String toString() {
            return "ToolResult[" + callId + "]";
        }
    }

    @Override
    public String toString() {
        return "CallRequest[" + messages + " messages, " + toolResults.size() + " tool results, " + state + "]";
    }
}
