package dev.capsem.llm.provider;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A request to a model, as far as it could be read.
///
/// @param messages how many turns or items of input it carries
/// @param toolResults the results handed to the model with this call, not those of earlier turns
/// @param parts what else than words is handed to the model with this call
/// @param hasUnknownFields whether it has members that this version does not know
public record CallRequest(
        Optional<String> model,
        boolean isStream,
        Optional<String> system,
        int messages,
        int tools,
        List<ToolResult> toolResults,
        List<Part> parts,
        boolean hasUnknownFields,
        State state) {
    /// More results in one request are not kept.
    public static final int TOOL_RESULTS_MAX = 1_000;

    /// More parts of one request are not kept.
    public static final int PARTS_MAX = 256;

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
        parts = List.copyOf(parts);
    }

    static final CallRequest UNREAD =
            new CallRequest(Optional.empty(), false, Optional.empty(), 0, 0, List.of(), List.of(), false, State.UNREAD);

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
                parts,
                hasUnknownFields,
                state);
    }

    public enum PartKind {
        IMAGE,
        FILE,
        CACHE_MARKER
    }

    /// An image, a file, or a mark for the provider's cache; never what they hold.
    ///
    /// @param rawType what the provider calls it
    /// @param name of a file, or what a mark says
    public record Part(PartKind kind, String rawType, Optional<String> mimeType, Optional<String> name) {
        /// The sender chose these words; real ones are shorter.
        private static final int CHARACTERS_MAX = 256;

        public Part {
            mimeType = mimeType.map(Part::cut);
            name = name.map(Part::cut);
        }

        private static String cut(String word) {
            return word.length() > CHARACTERS_MAX ? word.substring(0, CHARACTERS_MAX) : word;
        }

        static Part image(String rawType, @Nullable String mimeType) {
            return new Part(PartKind.IMAGE, rawType, Optional.ofNullable(mimeType), Optional.empty());
        }

        static Part file(String rawType, @Nullable String mimeType, @Nullable String name) {
            return new Part(PartKind.FILE, rawType, Optional.ofNullable(mimeType), Optional.ofNullable(name));
        }

        static Part cacheMarker(String marker) {
            return new Part(PartKind.CACHE_MARKER, "cache_control", Optional.empty(), Optional.of(marker));
        }
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
