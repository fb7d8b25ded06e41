package dev.capsem.llm.provider;

import dev.capsem.llm.event.LlmEvent;
import dev.capsem.llm.event.LlmEvent.MessageStart;
import dev.capsem.llm.event.LlmEvent.TextDelta;
import dev.capsem.llm.event.LlmEvent.ThinkingDelta;
import dev.capsem.llm.event.LlmEvent.ToolCallArgumentDelta;
import dev.capsem.llm.event.LlmEvent.ToolCallEnd;
import dev.capsem.llm.event.LlmEvent.ToolCallStart;
import dev.capsem.llm.event.LlmEvent.Usage;
import dev.capsem.llm.event.StopReason;
import dev.capsem.llm.json.JsonCursor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Google Gemini: every piece is a whole `GenerateContentResponse`, bare or wrapped in `response`.
final class GeminiReply implements ReplyFormat {
    private final Consumer<LlmEvent> out;
    private final JsonCursor in = new JsonCursor(WireNames.ALL);
    private boolean isStarted;
    private int calls;

    // What the piece at hand says; ids come after the content.
    private @Nullable String responseId;
    private @Nullable String model;
    private @Nullable Usage usage;
    private @Nullable StopReason stopReason;
    private boolean hasError;
    private boolean isKnown;
    private final List<LlmEvent> parts = new ArrayList<>();

    // The candidate at hand.
    private int candidate;

    GeminiReply(Consumer<LlmEvent> out) {
        this.out = out;
    }

    /// Calls without an id of their own are known by name and place, on both sides.
    static String callId(@Nullable String id, @Nullable String name, int place) {
        return id == null || id.isEmpty() ? "gemini_" + (name == null ? "" : name) + "_" + place : id;
    }

    @Override
    public void read(String eventType, byte[] buffer, int from, int to) {
        responseId = null;
        model = null;
        usage = null;
        stopReason = null;
        hasError = false;
        isKnown = false;
        parts.clear();
        in.reset(buffer, from, to);
        members();
        boolean isWhole = in.isAtEnd();
        if (!isStarted && isKnown) {
            isStarted = true;
            out.accept(new MessageStart(Optional.ofNullable(responseId), Optional.ofNullable(model)));
        }
        parts.forEach(out);
        if (usage != null) {
            out.accept(usage);
        }
        if (stopReason != null) {
            out.accept(ReplyFormat.end(stopReason));
        }
        if (hasError) {
            out.accept(ReplyFormat.unknown(LlmEvent.Unknown.ERROR, buffer, from, to));
            out.accept(ReplyFormat.end(ERROR));
        }
        if (!isWhole) {
            out.accept(ReplyFormat.unknown(LlmEvent.Unknown.MALFORMED, buffer, from, to));
        } else if (!hasError && !isKnown) {
            out.accept(ReplyFormat.unknown(eventType, buffer, from, to));
        }
    }

    private void members() {
        if (!in.enterObject()) {
            return;
        }
        while (in.nextMember()) {
            boolean isOurs = true;
            switch (in.name()) {
                case "candidates" -> candidates();
                case "usageMetadata" -> usage = in.isObject() ? UsageReader.read(in) : skipped();
                case "modelVersion" -> model = isStarted ? skippedText() : in.string();
                case "responseId" -> responseId = isStarted ? skippedText() : in.string();
                case "promptFeedback" -> promptFeedback();
                case "response" -> members();
                case "error" -> {
                    hasError = !in.isNull();
                    in.skip();
                    isOurs = false;
                }
                default -> {
                    in.skip();
                    isOurs = false;
                }
            }
            isKnown |= isOurs;
        }
    }

    private @Nullable Usage skipped() {
        in.skip();
        return null;
    }

    /// Every piece repeats who speaks; the first one was enough.
    private @Nullable String skippedText() {
        in.skip();
        return null;
    }

    private void promptFeedback() {
        if (!in.enterObject()) {
            return;
        }
        while (in.nextMember()) {
            if (in.name().equals("blockReason")) {
                in.skip();
                stopReason = StopReason.CONTENT_FILTER;
            } else {
                in.skip();
            }
        }
    }

    private void candidates() {
        if (!in.enterArray()) {
            return;
        }
        while (in.nextElement()) {
            if (in.enterObject()) {
                candidate = 0;
                int first = parts.size();
                String finishReason = null;
                while (in.nextMember()) {
                    switch (in.name()) {
                        case "index" -> candidate = (int) in.integer(0);
                        case "content" -> content();
                        case "finishReason" -> finishReason = in.string();
                        default -> in.skip();
                    }
                }
                renumber(first);
                if (finishReason != null) {
                    stopReason = reason(finishReason);
                }
            }
        }
    }

    /// The candidate's number may come after its content.
    private void renumber(int first) {
        if (candidate != 0) {
            parts.subList(first, parts.size()).replaceAll(event -> switch (event) {
                case TextDelta delta -> new TextDelta(candidate, delta.text());
                case ThinkingDelta delta -> new ThinkingDelta(candidate, delta.text());
                default -> event;
            });
        }
    }

    private void content() {
        if (!in.enterObject()) {
            return;
        }
        while (in.nextMember()) {
            if (in.name().equals("parts") && in.isArray()) {
                in.enterArray();
                while (in.nextElement()) {
                    part();
                }
            } else {
                in.skip();
            }
        }
    }

    private void part() {
        if (!in.enterObject()) {
            return;
        }
        String text = null;
        boolean isThought = false;
        while (in.nextMember()) {
            switch (in.name()) {
                case "text" -> text = in.string();
                case "thought" -> isThought = in.truth();
                case "functionCall" -> functionCall();
                default -> in.skip();
            }
        }
        if (text != null && !text.isEmpty()) {
            parts.add(isThought ? new ThinkingDelta(0, text) : new TextDelta(0, text));
        }
    }

    private void functionCall() {
        if (!in.enterObject()) {
            return;
        }
        String id = null;
        String name = null;
        String arguments = null;
        while (in.nextMember()) {
            switch (in.name()) {
                case "id" -> id = in.string();
                case "name" -> name = in.string();
                case "args" -> arguments = in.raw();
                default -> in.skip();
            }
        }
        int number = calls++;
        parts.add(new ToolCallStart(number, callId(id, name, number), name == null ? "" : name));
        if (!in.isMalformed()) {
            parts.add(new ToolCallArgumentDelta(number, arguments == null ? "{}" : arguments));
            parts.add(new ToolCallEnd(number));
        }
    }

    @Override
    public void finish() {}

    /// The API has no word for tool use: it says `STOP` after a function call.
    private StopReason reason(String word) {
        return switch (word) {
            case "STOP" -> calls > 0 ? StopReason.TOOL_USE : StopReason.END_TURN;
            case "MAX_TOKENS" -> StopReason.MAX_TOKENS;
            case "SAFETY" -> StopReason.CONTENT_FILTER;
            default -> new StopReason.Other(word);
        };
    }
}
