package dev.capsem.llm.provider;

import dev.capsem.llm.provider.CallRequest.ToolResult;
import java.util.List;

/// Ollama's own API: `messages` of a chat, or one `prompt`. It streams unless told not to. Results of tools are
/// messages of role `tool` at the end, told apart by the tool's name and their place.
final class OllamaRequest {
    private final RequestDraft draft;

    /// Results since the model's last turn.
    private int results;

    private OllamaRequest(RequestDraft draft) {
        this.draft = draft;
    }

    static CallRequest read(byte[] body) {
        RequestDraft draft = new RequestDraft(body);
        draft.isStream = true;
        new OllamaRequest(draft).members();
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
                case "system" -> draft.system(draft.in.string());
                case "tools" -> draft.tools = draft.count();
                case "messages" -> messages();
                case "images" -> images();
                case "prompt", "input" -> {
                    draft.messages = Math.max(1, draft.messages);
                    draft.in.skip();
                }
                default -> draft.other();
            }
        }
    }

    private void messages() {
        draft.messages = 0;
        results = 0;
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
        String name = null;
        String callId = null;
        ContentReader.Content content = ContentReader.Content.NONE;
        while (draft.in.nextMember()) {
            switch (draft.in.name()) {
                case "role" -> role = draft.in.word();
                case "tool_name", "name" -> name = draft.in.string();
                case "tool_call_id" -> callId = draft.in.string();
                case "images" -> images();
                case "content" -> content = ContentReader.read(draft.in, draft::attach);
                default -> draft.in.skip();
            }
        }
        switch (role) {
            case "tool" -> {
                String id = OllamaReply.callId(callId, name, results++);
                ToolResult result = RequestDraft.result(id, content, false);
                draft.handsOver(List.of(result));
            }
            case "assistant" -> {
                results = 0;
                draft.turns();
            }
            case "system" -> draft.system(content.orEmpty());
            default -> {}
        }
    }

    private void images() {
        if (!draft.in.enterArray()) {
            return;
        }
        while (draft.in.nextElement()) {
            draft.in.skip();
            draft.attach(CallRequest.Part.image("images", null));
        }
    }
}
