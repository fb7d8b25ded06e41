package dev.capsem.llm.provider;

import dev.capsem.llm.provider.CallRequest.ToolResult;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Bedrock's Converse, the same for all models. A block of content has one member, whose name says what it is. Results
/// of tools are `toolResult` blocks of the user's messages at the end.
final class ConverseRequest {
    private final RequestDraft draft;

    private ConverseRequest(RequestDraft draft) {
        this.draft = draft;
    }

    static CallRequest read(byte[] body) {
        RequestDraft draft = new RequestDraft(body);
        new ConverseRequest(draft).members();
        return draft.finish();
    }

    private void members() {
        if (!draft.in.enterObject()) {
            return;
        }
        while (draft.in.nextMember()) {
            switch (draft.in.name()) {
                case "system" ->
                    draft.system(ContentReader.read(draft.in, draft::mark).orEmpty());
                case "toolConfig" -> toolConfig();
                case "messages" -> messages();
                default -> draft.other();
            }
        }
    }

    private void toolConfig() {
        if (!draft.in.enterObject()) {
            return;
        }
        while (draft.in.nextMember()) {
            if (draft.in.name().equals("tools")) {
                draft.tools = draft.count();
            } else {
                draft.in.skip();
            }
        }
    }

    private void messages() {
        draft.messages = 0;
        draft.turns();
        if (!draft.in.enterArray()) {
            return;
        }
        while (draft.in.nextElement()) {
            draft.messages++;
            message();
        }
    }

    private void message() {
        if (!draft.in.enterObject()) {
            return;
        }
        String role = "";
        List<ToolResult> results = new ArrayList<>(0);
        List<CallRequest.Part> parts = new ArrayList<>(0);
        while (draft.in.nextMember()) {
            switch (draft.in.name()) {
                case "role" -> role = draft.in.word();
                case "content" -> {
                    if (draft.in.enterArray()) {
                        while (draft.in.nextElement()) {
                            block(results, parts);
                        }
                    }
                }
                default -> draft.in.skip();
            }
        }
        if (role.equals("user")) {
            draft.handsOver(results);
            parts.forEach(draft::attach);
        } else {
            draft.turns();
        }
    }

    private void block(List<ToolResult> results, List<CallRequest.Part> parts) {
        if (!draft.in.enterObject()) {
            return;
        }
        PartDraft part = new PartDraft();
        while (draft.in.nextMember()) {
            if (draft.in.name().equals("toolResult")) {
                toolResult(results, parts);
            } else if (!part.member(draft.in)) {
                draft.in.skip();
            }
        }
        parts.addAll(part.parts());
    }

    private void toolResult(List<ToolResult> results, List<CallRequest.Part> parts) {
        if (!draft.in.enterObject()) {
            return;
        }
        @Nullable String callId = null;
        boolean isError = false;
        ContentReader.Content content = ContentReader.Content.NONE;
        while (draft.in.nextMember()) {
            switch (draft.in.name()) {
                case "toolUseId" -> callId = draft.in.string();
                case "status" -> isError = draft.in.word().equals("error");
                case "content" -> content = ContentReader.read(draft.in, parts::add);
                default -> draft.in.skip();
            }
        }
        if (results.size() < CallRequest.TOOL_RESULTS_MAX) {
            results.add(RequestDraft.result(callId, content, isError));
        }
    }
}
