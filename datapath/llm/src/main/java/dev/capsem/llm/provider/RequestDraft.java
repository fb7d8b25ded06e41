package dev.capsem.llm.provider;

import dev.capsem.llm.json.JsonCursor;
import dev.capsem.llm.provider.CallRequest.ToolResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A request while it is being read, and what reading it is like in every format.
final class RequestDraft {
    final JsonCursor in;

    @Nullable
    String model;

    boolean isStream;

    @Nullable
    String system;

    int messages;
    int tools;
    boolean hasUnknownFields;

    /// Results of the turns that end the conversation so far.
    private final List<ToolResult> trailing = new ArrayList<>();

    /// Parts of the same turns.
    private final List<CallRequest.Part> attached = new ArrayList<>();

    /// Marks of what stands before all turns.
    private final List<CallRequest.Part> lasting = new ArrayList<>();

    RequestDraft(byte[] body) {
        this.in = new JsonCursor(WireNames.ALL).reset(body, 0, body.length);
    }

    /// A member that is known or not, and not read.
    void other() {
        hasUnknownFields |= in.name().isEmpty();
        in.skip();
    }

    /// The first one counts.
    void system(@Nullable String text) {
        if (system == null && text != null) {
            system = text;
        }
    }

    /// A turn that hands results to the model, or follows one that does.
    void handsOver(List<ToolResult> results) {
        for (ToolResult result : results) {
            if (trailing.size() < CallRequest.TOOL_RESULTS_MAX) {
                trailing.add(result);
            }
        }
    }

    /// A turn after which earlier results are history.
    void turns() {
        trailing.clear();
        attached.clear();
    }

    /// A turn of the user's own after which earlier results are history.
    void forgetResults() {
        trailing.clear();
    }

    /// Of the turn at hand.
    void attach(CallRequest.Part part) {
        add(attached, part);
    }

    /// Of instructions or tools, which no turn puts into the past.
    void mark(CallRequest.Part part) {
        add(lasting, part);
    }

    private static void add(List<CallRequest.Part> to, CallRequest.Part part) {
        if (to.size() < CallRequest.PARTS_MAX) {
            to.add(part);
        }
    }

    private List<CallRequest.Part> parts() {
        List<CallRequest.Part> all = new ArrayList<>(lasting);
        attached.forEach(part -> add(all, part));
        return all;
    }

    int count() {
        int count = 0;
        if (in.enterArray()) {
            while (in.nextElement()) {
                element();
                count++;
            }
        }
        return count;
    }

    /// A tool, which may have a mark for the cache.
    private void element() {
        if (!in.enterObject()) {
            return;
        }
        PartDraft part = new PartDraft();
        while (in.nextMember()) {
            switch (in.name()) {
                case "cache_control", "cachePoint" -> part.member(in);
                default -> in.skip();
            }
        }
        part.parts().forEach(this::mark);
    }

    CallRequest finish() {
        boolean isWhole = in.isAtEnd();
        return new CallRequest(
                Optional.ofNullable(model),
                isStream,
                Optional.ofNullable(system),
                messages,
                tools,
                trailing,
                parts(),
                hasUnknownFields,
                isWhole ? CallRequest.State.COMPLETE : CallRequest.State.MALFORMED);
    }

    static ToolResult result(@Nullable String callId, ContentReader.Content content, boolean isError) {
        ToolResult.Kind kind = content.isImage()
                ? ToolResult.Kind.IMAGE
                : content.isPresent() ? ToolResult.Kind.TEXT : ToolResult.Kind.ABSENT;
        return new ToolResult(callId == null ? "" : callId, content.text(), kind, Optional.empty(), isError);
    }
}
