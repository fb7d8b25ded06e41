package dev.capsem.llm.provider;

import dev.capsem.llm.json.JsonCursor;
import dev.capsem.llm.provider.CallRequest.ToolResult;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Google Gemini, bare or wrapped in `request`. Results of tools are `functionResponse` parts of the turns after the
/// model's last one, whose role is `user` or `function`. Both spellings of names are read, as the API does.
final class GeminiRequest {
    private final RequestDraft draft;

    /// Results since the model's last turn, for ids by place.
    private int results;

    private GeminiRequest(RequestDraft draft) {
        this.draft = draft;
    }

    static CallRequest read(byte[] body) {
        RequestDraft draft = new RequestDraft(body);
        new GeminiRequest(draft).members();
        return draft.finish();
    }

    private void members() {
        if (!draft.in.enterObject()) {
            return;
        }
        while (draft.in.nextMember()) {
            switch (draft.in.name()) {
                case "model" -> draft.model = modelName(draft.in.string());
                case "systemInstruction", "system_instruction" -> system();
                case "cachedContent", "cached_content" -> cached(draft.in.string());
                case "tools" -> tools();
                case "contents" -> contents();
                case "request" -> members();
                default -> draft.other();
            }
        }
    }

    private static @Nullable String modelName(@Nullable String name) {
        return name != null && name.startsWith("models/") ? name.substring("models/".length()) : name;
    }

    /// What the provider has kept of earlier calls, by its name there.
    private void cached(@Nullable String name) {
        if (name != null) {
            draft.mark(CallRequest.Part.cacheMarker(name));
        }
    }

    private void system() {
        if (draft.in.isString()) {
            draft.system(draft.in.string());
            return;
        }
        if (!draft.in.enterObject()) {
            return;
        }
        while (draft.in.nextMember()) {
            if (draft.in.name().equals("parts")) {
                draft.system(ContentReader.read(draft.in).orEmpty());
            } else {
                draft.in.skip();
            }
        }
    }

    private void tools() {
        draft.tools = 0;
        if (!draft.in.enterArray()) {
            return;
        }
        while (draft.in.nextElement()) {
            if (draft.in.enterObject()) {
                while (draft.in.nextMember()) {
                    switch (draft.in.name()) {
                        case "functionDeclarations", "function_declarations" -> draft.tools += draft.count();
                        default -> draft.in.skip();
                    }
                }
            }
        }
    }

    private void contents() {
        draft.messages = 0;
        results = 0;
        draft.turns();
        if (draft.in.isObject()) {
            draft.messages = 1;
            content();
            return;
        }
        if (!draft.in.enterArray()) {
            return;
        }
        while (draft.in.nextElement()) {
            draft.messages++;
            content();
        }
    }

    private void content() {
        if (!draft.in.enterObject()) {
            return;
        }
        boolean isModel = false;
        List<ToolResult> found = new ArrayList<>(0);
        List<CallRequest.Part> attached = new ArrayList<>(0);
        while (draft.in.nextMember()) {
            switch (draft.in.name()) {
                case "role" -> isModel = draft.in.word().equals("model");
                case "parts" -> parts(found, attached);
                default -> draft.in.skip();
            }
        }
        if (isModel) {
            results = 0;
            draft.turns();
        } else {
            draft.handsOver(found);
            attached.forEach(draft::attach);
        }
    }

    private void parts(List<ToolResult> found, List<CallRequest.Part> attached) {
        if (draft.in.isObject()) {
            part(found, attached);
            return;
        }
        if (!draft.in.enterArray()) {
            return;
        }
        while (draft.in.nextElement()) {
            part(found, attached);
        }
    }

    private void part(List<ToolResult> found, List<CallRequest.Part> attached) {
        if (!draft.in.enterObject()) {
            return;
        }
        PartDraft other = new PartDraft();
        while (draft.in.nextMember()) {
            switch (draft.in.name()) {
                case "functionResponse", "function_response" -> functionResponse(found);
                default -> {
                    if (!other.member(draft.in)) {
                        draft.in.skip();
                    }
                }
            }
        }
        attached.addAll(other.parts());
    }

    private void functionResponse(List<ToolResult> found) {
        if (!draft.in.enterObject()) {
            return;
        }
        String id = null;
        String name = null;
        String response = null;
        while (draft.in.nextMember()) {
            switch (draft.in.name()) {
                case "id" -> id = draft.in.string();
                case "name" -> name = draft.in.string();
                case "response" -> response = draft.in.raw();
                default -> draft.in.skip();
            }
        }
        String callId = GeminiReply.callId(id, name, results++);
        if (found.size() < CallRequest.TOOL_RESULTS_MAX) {
            found.add(
                    response == null
                            ? new ToolResult(callId, "", ToolResult.Kind.ABSENT, Optional.empty(), false)
                            : new ToolResult(
                                    callId, response, ToolResult.Kind.JSON, Optional.of(response), hasError(response)));
        }
    }

    /// By the API's convention a failed function answers `{"error": …}`.
    private static boolean hasError(String response) {
        byte[] bytes = response.getBytes(StandardCharsets.UTF_8);
        JsonCursor in = new JsonCursor(WireNames.ALL).reset(bytes, 0, bytes.length);
        boolean found = false;
        if (in.enterObject()) {
            while (in.nextMember()) {
                found |= in.name().equals("error") && !in.isNull();
                in.skip();
            }
        }
        return found;
    }
}
