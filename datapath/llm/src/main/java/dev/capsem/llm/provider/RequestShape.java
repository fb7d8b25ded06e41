package dev.capsem.llm.provider;

import dev.capsem.llm.json.JsonCursor;

/// The outermost members of a body.
///
/// @param isObject whether it starts as a JSON object
/// @param isWhole whether it is JSON to the end
/// @param hasMessages whether `messages` is a list
/// @param hasPrompt whether there is something else to answer: `prompt`, `input`
/// @param hasContents whether there is what Google's formats carry
record RequestShape(
        boolean isObject,
        boolean isWhole,
        boolean hasModel,
        boolean hasMessages,
        boolean hasPrompt,
        boolean hasContents,
        boolean hasVersion) {
    private static final RequestShape NONE = new RequestShape(false, false, false, false, false, false, false);

    static RequestShape of(byte[] body) {
        if (!startsAsObject(body)) {
            return NONE;
        }
        JsonCursor in = new JsonCursor(WireNames.ALL).reset(body, 0, body.length);
        boolean hasModel = false;
        boolean hasMessages = false;
        boolean hasPrompt = false;
        boolean hasContents = false;
        boolean hasVersion = false;
        if (in.enterObject()) {
            while (in.nextMember()) {
                switch (in.name()) {
                    case "model" -> hasModel |= in.isString();
                    case "messages" -> hasMessages |= in.isArray();
                    case "prompt", "input", "inputText" -> hasPrompt |= in.isString() || in.isArray() || in.isObject();
                    case "contents", "content", "request", "requests" -> hasContents |= in.isArray() || in.isObject();
                    case "anthropic_version" -> hasVersion |= in.isString();
                    default -> {}
                }
                in.skip();
            }
        }
        return new RequestShape(true, in.isAtEnd(), hasModel, hasMessages, hasPrompt, hasContents, hasVersion);
    }

    /// Space, byte order marks and the zero bytes of wider encodings may come before the brace.
    private static boolean startsAsObject(byte[] body) {
        for (byte next : body) {
            switch (next) {
                case '{' -> {
                    return true;
                }
                case ' ', '\t', '\r', '\n', 0, (byte) 0xEF, (byte) 0xBB, (byte) 0xBF, (byte) 0xFE, (byte) 0xFF -> {}
                default -> {
                    return false;
                }
            }
        }
        return false;
    }

    boolean isOf(ApiFormat format) {
        if (!isObject) {
            return false;
        }
        return !isWhole
                || switch (format) {
                    // A path may name the model in its place.
                    case OPENAI_CHAT -> hasMessages;
                    case ANTHROPIC_MESSAGES -> hasMessages && (hasModel || hasVersion);
                    case OPENAI_RESPONSES -> hasModel && hasPrompt;
                    case OPENAI_OTHER -> hasPrompt;
                    case ANTHROPIC_OTHER -> hasModel && hasPrompt;
                    case GEMINI, GEMINI_OTHER -> hasContents;
                    case OLLAMA -> hasModel && (hasMessages || hasPrompt);
                    case OLLAMA_OTHER -> hasModel && hasPrompt;
                    case BEDROCK_CONVERSE -> hasMessages;
                    case BEDROCK_ANTHROPIC, BEDROCK_OTHER -> hasMessages || hasPrompt || hasVersion;
                };
    }
}
