package dev.capsem.llm.provider;

import dev.capsem.events.row.ModelInteraction.ApiFamily;
import dev.capsem.llm.event.LlmEvent;
import java.util.Optional;
import java.util.function.Consumer;

/// The formats that model APIs speak, whoever serves them.
public enum ApiFormat {
    ANTHROPIC_MESSAGES(ApiFamily.ANTHROPIC_MESSAGES, "anthropic-messages-v1"),
    OPENAI_CHAT(ApiFamily.OPENAI_CHAT_COMPLETIONS, "openai-chat-completions-v1"),
    OPENAI_RESPONSES(ApiFamily.OPENAI_RESPONSES, "openai-responses-v1"),
    GEMINI(ApiFamily.GOOGLE_GEMINI_CONTENT, "google-gemini-v1beta"),
    OLLAMA(ApiFamily.UNKNOWN, "ollama-v1"),
    BEDROCK_CONVERSE(ApiFamily.UNKNOWN, "bedrock-converse-v1"),
    /// Anthropic's format in Bedrock's envelope.
    BEDROCK_ANTHROPIC(ApiFamily.ANTHROPIC_MESSAGES, "bedrock-anthropic-v1"),
    /// Calls that cost tokens and of which only model, counts and plain text are read.
    ANTHROPIC_OTHER(ApiFamily.UNKNOWN, "anthropic-other"),
    OPENAI_OTHER(ApiFamily.UNKNOWN, "openai-other"),
    GEMINI_OTHER(ApiFamily.UNKNOWN, "google-other"),
    OLLAMA_OTHER(ApiFamily.UNKNOWN, "ollama-other"),
    BEDROCK_OTHER(ApiFamily.UNKNOWN, "bedrock-other");

    private final ApiFamily family;
    private final String shapeVersion;

    ApiFormat(ApiFamily family, String shapeVersion) {
        this.family = family;
        this.shapeVersion = shapeVersion;
    }

    public ApiFamily family() {
        return family;
    }

    /// Which version of the format the readers are written for.
    public String shapeVersion() {
        return shapeVersion;
    }

    /// Whose format it is, where nobody but its maker's program serves it.
    public Optional<String> provider() {
        return switch (this) {
            case OLLAMA, OLLAMA_OTHER -> Optional.of("ollama");
            default -> Optional.empty();
        };
    }

    /// Whether text and tools of a call are read, and not only its model and counts.
    public boolean isRead() {
        return switch (this) {
            case ANTHROPIC_OTHER, OPENAI_OTHER, GEMINI_OTHER, OLLAMA_OTHER, BEDROCK_OTHER -> false;
            default -> true;
        };
    }

    /// Whether a body has the shape of a request in this format. JSON that is broken, or is not in UTF-8, counts as
    /// one: its server may read it all the same.
    public boolean isAskedBy(byte[] body) {
        return RequestShape.of(body).isOf(this);
    }

    /// Reads a whole body; anything but JSON leaves facts absent.
    ///
    /// @param path may name the model and say that the reply is a stream
    public CallRequest request(byte[] body, String path) {
        CallRequest read = body.length == 0
                ? CallRequest.UNREAD
                : switch (this) {
                    case ANTHROPIC_MESSAGES, ANTHROPIC_OTHER, BEDROCK_ANTHROPIC, BEDROCK_OTHER ->
                        AnthropicRequest.read(body);
                    case OPENAI_CHAT, OPENAI_RESPONSES, OPENAI_OTHER -> OpenAiRequest.read(body);
                    case GEMINI, GEMINI_OTHER -> GeminiRequest.read(body);
                    case OLLAMA, OLLAMA_OTHER -> OllamaRequest.read(body);
                    case BEDROCK_CONVERSE -> ConverseRequest.read(body);
                };
        return read.withPath(PathModel.of(path), PathModel.isStream(path));
    }

    public ReplyStream reply(Consumer<LlmEvent> out) {
        return new ReplyStream(
                switch (this) {
                    case ANTHROPIC_MESSAGES, ANTHROPIC_OTHER -> new AnthropicReply(out);
                    case OPENAI_CHAT, OPENAI_OTHER -> new OpenAiChatReply(out);
                    case OPENAI_RESPONSES -> new OpenAiResponsesReply(out);
                    case GEMINI, GEMINI_OTHER -> new GeminiReply(out);
                    case OLLAMA, OLLAMA_OTHER -> new OllamaReply(out);
                    case BEDROCK_CONVERSE -> new ConverseReply(out);
                    case BEDROCK_ANTHROPIC -> new InvokeReply(new AnthropicReply(out), out);
                    case BEDROCK_OTHER -> new InvokeReply(null, out);
                },
                out);
    }

    /// Whether the id of a call was made up here because the provider gave none.
    public static boolean isOurId(String callId, String name, int index) {
        return callId.equals(GeminiReply.callId(null, name, index))
                || callId.equals(OllamaReply.callId(null, name, index))
                || callId.equals(OpenAiChatReply.callId(name, index));
    }
}
