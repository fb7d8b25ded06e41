package dev.capsem.llm.provider;

import dev.capsem.llm.provider.CallRequest.ToolResult;
import java.util.ArrayList;
import java.util.List;

/// Anthropic Messages. Results of tools are blocks of the user's messages at the end.
final class AnthropicRequest {
    private final RequestDraft draft;

    private AnthropicRequest(RequestDraft draft) {
        this.draft = draft;
    }

    static CallRequest read(byte[] body) {
        RequestDraft draft = new RequestDraft(body);
        new AnthropicRequest(draft).members();
        return draft.finish();
    }

    private void members() {
        if (!draft.in.enterObject()) {
            return;
        }
        while (draft.in.nextMember()) {
            switch (draft.in.name()) {
                case "model" -> draft.model = draft.in.string();
                case "stream" -> draft.isStream = draft.in.truth();
                case "system" ->
                    draft.system(ContentReader.read(draft.in, draft::mark).orEmpty());
                case "tools" -> draft.tools = draft.count();
                case "messages" -> messages();
                default -> draft.other();
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
                case "content" -> blocks(results, parts);
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

    private void blocks(List<ToolResult> results, List<CallRequest.Part> parts) {
        if (!draft.in.enterArray()) {
            return;
        }
        while (draft.in.nextElement()) {
            block(results, parts);
        }
    }

    private void block(List<ToolResult> results, List<CallRequest.Part> parts) {
        if (!draft.in.enterObject()) {
            return;
        }
        String type = "";
        String callId = null;
        boolean isError = false;
        ContentReader.Content content = ContentReader.Content.NONE;
        PartDraft part = new PartDraft();
        while (draft.in.nextMember()) {
            switch (draft.in.name()) {
                case "type" -> type = draft.in.word();
                case "tool_use_id" -> callId = draft.in.string();
                case "is_error" -> isError = draft.in.truth();
                case "content" -> content = ContentReader.read(draft.in, parts::add);
                default -> {
                    if (!part.member(draft.in)) {
                        draft.in.skip();
                    }
                }
            }
        }
        if (!type.isEmpty()) {
            part.type(type);
        }
        parts.addAll(part.parts());
        if (type.equals("tool_result") && results.size() < CallRequest.TOOL_RESULTS_MAX) {
            results.add(RequestDraft.result(callId, content, isError));
        }
    }
}
