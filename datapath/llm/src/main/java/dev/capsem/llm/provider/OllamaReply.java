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
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Ollama's own API: an object for each piece, the last one with `done` and the counts; a whole reply is that last one.
final class OllamaReply implements ReplyFormat {
    private static final long ABSENT = -1;

    private final Consumer<LlmEvent> out;
    private final JsonCursor in = new JsonCursor(WireNames.ALL);
    private boolean isStarted;
    private int calls;

    // What the piece at hand says.
    private @Nullable String model;
    private @Nullable String text;
    private @Nullable String thinking;
    private @Nullable String doneReason;
    private boolean isDone;
    private boolean hasError;
    private boolean isKnown;
    private long input;
    private long output;
    private final List<LlmEvent> tools = new ArrayList<>();

    OllamaReply(Consumer<LlmEvent> out) {
        this.out = out;
    }

    /// Most versions give calls no id: they are known by name and place, on both sides.
    static String callId(@Nullable String id, @Nullable String name, int place) {
        return id == null || id.isEmpty() ? "ollama_" + (name == null ? "" : name) + "_" + place : id;
    }

    @Override
    public Framing framing() {
        return Framing.SEQUENCE;
    }

    @Override
    public void read(String eventType, byte[] buffer, int from, int to) {
        clear();
        in.reset(buffer, from, to);
        members();
        boolean isWhole = in.isAtEnd();
        if (!isStarted && model != null) {
            isStarted = true;
            out.accept(new MessageStart(Optional.empty(), Optional.of(model)));
        }
        if (thinking != null && !thinking.isEmpty()) {
            out.accept(new ThinkingDelta(0, thinking));
        }
        if (text != null && !text.isEmpty()) {
            out.accept(new TextDelta(0, text));
        }
        tools.forEach(out);
        if (input >= 0 || output >= 0) {
            out.accept(new Usage(optional(input), optional(output), Map.of()));
        }
        if (isDone) {
            out.accept(ReplyFormat.end(reason(doneReason == null ? "stop" : doneReason)));
        }
        if (hasError) {
            out.accept(ReplyFormat.unknown(LlmEvent.Unknown.ERROR, buffer, from, to));
            out.accept(ReplyFormat.end(ERROR));
        }
        if (!isWhole) {
            out.accept(ReplyFormat.unknown(LlmEvent.Unknown.MALFORMED, buffer, from, to));
        } else if (!isKnown && !hasError) {
            out.accept(ReplyFormat.unknown(eventType, buffer, from, to));
        }
    }

    private void clear() {
        model = null;
        text = null;
        thinking = null;
        doneReason = null;
        isDone = false;
        hasError = false;
        isKnown = false;
        input = ABSENT;
        output = ABSENT;
        tools.clear();
    }

    private static OptionalLong optional(long count) {
        return count < 0 ? OptionalLong.empty() : OptionalLong.of(count);
    }

    private void members() {
        if (!in.enterObject()) {
            return;
        }
        while (in.nextMember()) {
            switch (in.name()) {
                case "model" -> {
                    isKnown = true;
                    model = in.string();
                }
                case "message" -> message();
                case "response" -> text = in.string();
                case "thinking" -> thinking = in.string();
                case "done" -> isDone = in.truth();
                case "done_reason" -> doneReason = in.string();
                case "prompt_eval_count" -> input = in.integer(ABSENT);
                case "eval_count" -> output = in.integer(ABSENT);
                case "error" -> {
                    hasError = !in.isNull();
                    in.skip();
                }
                default -> in.skip();
            }
        }
    }

    private void message() {
        if (!in.enterObject()) {
            return;
        }
        while (in.nextMember()) {
            switch (in.name()) {
                case "content" -> text = in.string();
                case "thinking" -> thinking = in.string();
                case "tool_calls" -> {
                    if (in.enterArray()) {
                        while (in.nextElement()) {
                            tool();
                        }
                    }
                }
                default -> in.skip();
            }
        }
    }

    private void tool() {
        if (!in.enterObject()) {
            return;
        }
        String id = null;
        String name = null;
        String arguments = null;
        while (in.nextMember()) {
            switch (in.name()) {
                case "id" -> id = in.string();
                case "function" -> {
                    if (in.enterObject()) {
                        while (in.nextMember()) {
                            switch (in.name()) {
                                case "name" -> name = in.string();
                                case "arguments" -> arguments = in.raw();
                                default -> in.skip();
                            }
                        }
                    }
                }
                default -> in.skip();
            }
        }
        int number = calls++;
        tools.add(new ToolCallStart(number, callId(id, name, number), name == null ? "" : name));
        if (!in.isMalformed()) {
            tools.add(new ToolCallArgumentDelta(number, arguments == null ? "{}" : arguments));
            tools.add(new ToolCallEnd(number));
        }
    }

    @Override
    public void finish() {}

    /// It has no word for tool use: it says `stop` after a call.
    private StopReason reason(String word) {
        return switch (word) {
            case "stop" -> calls > 0 ? StopReason.TOOL_USE : StopReason.END_TURN;
            case "length" -> StopReason.MAX_TOKENS;
            default -> new StopReason.Other(word);
        };
    }
}
