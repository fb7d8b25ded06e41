package dev.capsem.llm.provider;

import dev.capsem.llm.provider.ContentReader.Content;
import java.util.ArrayList;
import java.util.List;

/// OpenAI, both APIs: `messages` of Chat Completions and `input` of Responses. Results of tools are messages of role
/// `tool`, or items whose type ends in `call_output`, at the end.
final class OpenAiRequest {
    private final RequestDraft draft;

    private OpenAiRequest(RequestDraft draft) {
        this.draft = draft;
    }

    static CallRequest read(byte[] body) {
        RequestDraft draft = new RequestDraft(body);
        new OpenAiRequest(draft).members();
        return draft.finish();
    }

    private void members() {
        if (!draft.in.enterObject()) {
            return;
        }
        String instructions = null;
        while (draft.in.nextMember()) {
            switch (draft.in.name()) {
                case "model" -> draft.model = draft.in.string();
                case "stream" -> draft.isStream = draft.in.truth();
                case "instructions" -> instructions = draft.in.string();
                case "tools" -> draft.tools += draft.count();
                case "functions" -> draft.tools += draft.count();
                case "messages", "input" -> items();
                default -> draft.other();
            }
        }
        if (instructions != null) {
            draft.system = instructions;
        }
    }

    private void items() {
        draft.messages = 0;
        draft.turns();
        if (draft.in.isString()) {
            draft.in.skip();
            draft.messages = 1;
            return;
        }
        if (!draft.in.enterArray()) {
            return;
        }
        while (draft.in.nextElement()) {
            draft.messages++;
            item();
        }
    }

    private void item() {
        if (!draft.in.enterObject()) {
            return;
        }
        String type = "";
        String role = "";
        String name = null;
        String callId = null;
        Content content = Content.NONE;
        List<CallRequest.Part> parts = new ArrayList<>(0);
        while (draft.in.nextMember()) {
            switch (draft.in.name()) {
                case "type" -> type = draft.in.word();
                case "role" -> role = draft.in.word();
                case "name" -> name = draft.in.string();
                case "tool_call_id", "call_id" -> callId = draft.in.string();
                case "content", "output" -> content = ContentReader.read(draft.in, parts::add);
                default -> draft.in.skip();
            }
        }
        boolean isOutput = switch (type) {
            case "function_call_output",
                    "custom_tool_call_output",
                    "local_shell_call_output",
                    "shell_call_output",
                    "apply_patch_call_output",
                    "computer_call_output" -> true;
            default -> false;
        };
        // Items without a role are calls and thoughts of the model.
        boolean isModels = role.equals("assistant") || (role.isEmpty() && !isOutput);
        if (isOutput || role.equals("tool")) {
            draft.handsOver(List.of(RequestDraft.result(callId, content, false)));
        } else if (role.equals("function")) {
            draft.handsOver(List.of(RequestDraft.result("function_" + name, content, false)));
        } else {
            // What the user hands over stays with this call until the model has answered it.
            if (isModels) {
                draft.turns();
            } else {
                draft.forgetResults();
            }
            if (role.equals("system") || role.equals("developer")) {
                draft.system(content.orEmpty());
            }
        }
        if (!isModels) {
            parts.forEach(draft::attach);
        }
    }
}
