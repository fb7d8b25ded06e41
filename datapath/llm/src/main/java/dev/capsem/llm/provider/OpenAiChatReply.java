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
import dev.capsem.llm.event.SummaryBuilder;
import dev.capsem.llm.json.JsonCursor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// OpenAI Chat Completions, and the older endpoints that share its frame (completions, embeddings). A chunk of a
/// stream and a whole reply differ only in `delta` or `message`.
final class OpenAiChatReply implements ReplyFormat {
    private final Consumer<LlmEvent> out;
    private final JsonCursor in = new JsonCursor(WireNames.ALL);
    private boolean isStarted;

    /// Calls whose arguments may still come, by choice and the provider's index.
    private final Map<Long, OpenCall> open = new LinkedHashMap<>();

    private int calls;

    private record OpenCall(int number, String callId) {}

    // What the piece at hand says.
    private @Nullable String messageId;
    private @Nullable String model;
    private @Nullable Usage usage;
    private boolean hasError;
    private boolean isKnown;

    /// Used again for every piece.
    private final List<Choice> choices = new ArrayList<>();

    private int choiceCount;

    private static final class Choice {
        private int index;
        private @Nullable String text;
        private @Nullable String thinking;
        private @Nullable String finishReason;
        private boolean isWhole;
        private final List<ToolPart> tools = new ArrayList<>(0);

        void clear() {
            index = 0;
            text = null;
            thinking = null;
            finishReason = null;
            isWhole = false;
            tools.clear();
        }
    }

    private static final class ToolPart {
        private int index = -1;
        private @Nullable String id;
        private @Nullable String name;
        private @Nullable String arguments;
    }

    OpenAiChatReply(Consumer<LlmEvent> out) {
        this.out = out;
    }

    /// Some gateways give calls no id.
    static String callId(@Nullable String name, int number) {
        return "chat_" + name + "_" + number;
    }

    @Override
    public void read(String eventType, byte[] buffer, int from, int to) {
        messageId = null;
        model = null;
        usage = null;
        hasError = false;
        isKnown = false;
        choiceCount = 0;
        in.reset(buffer, from, to);
        members();
        boolean isWhole = in.isAtEnd();
        if (!isStarted && (messageId != null || model != null)) {
            isStarted = true;
            out.accept(new MessageStart(Optional.ofNullable(messageId), Optional.ofNullable(model)));
        }
        for (int place = 0; place < choiceCount; place++) {
            emit(choices.get(place));
        }
        if (usage != null) {
            out.accept(usage);
        }
        if (hasError) {
            out.accept(ReplyFormat.unknown(LlmEvent.Unknown.ERROR, buffer, from, to));
            out.accept(ReplyFormat.end(ERROR));
        }
        if (!isWhole) {
            out.accept(ReplyFormat.unknown(LlmEvent.Unknown.MALFORMED, buffer, from, to));
        } else if (!hasError && !isKnown && usage == null && choiceCount == 0) {
            out.accept(ReplyFormat.unknown(eventType, buffer, from, to));
        }
    }

    private void members() {
        if (!in.enterObject()) {
            return;
        }
        while (in.nextMember()) {
            switch (in.name()) {
                case "id" -> {
                    isKnown = true;
                    messageId = isStarted ? skippedText() : in.string();
                }
                case "model" -> {
                    isKnown = true;
                    model = isStarted ? skippedText() : in.string();
                }
                case "usage" -> {
                    if (in.isObject()) {
                        usage = UsageReader.read(in);
                    } else {
                        in.skip();
                    }
                }
                case "error" -> {
                    hasError = !in.isNull();
                    in.skip();
                }
                case "choices" -> {
                    if (in.enterArray()) {
                        while (in.nextElement()) {
                            choice();
                        }
                    }
                }
                default -> in.skip();
            }
        }
    }

    private void choice() {
        if (!in.enterObject()) {
            return;
        }
        Choice choice = nextChoice();
        while (in.nextMember()) {
            switch (in.name()) {
                case "index" -> choice.index = (int) in.integer(0);
                case "delta" -> message(choice);
                case "message" -> {
                    choice.isWhole = true;
                    message(choice);
                }
                case "text" -> choice.text = in.string();
                case "finish_reason" -> choice.finishReason = in.string();
                default -> in.skip();
            }
        }
    }

    private Choice nextChoice() {
        if (choiceCount == SummaryBuilder.TOOL_CALLS_MAX) {
            return new Choice();
        }
        if (choiceCount == choices.size()) {
            choices.add(new Choice());
        }
        Choice choice = choices.get(choiceCount++);
        choice.clear();
        return choice;
    }

    /// Every piece repeats who speaks; the first one was enough.
    private @Nullable String skippedText() {
        in.skip();
        return null;
    }

    private void message(Choice choice) {
        if (!in.enterObject()) {
            return;
        }
        while (in.nextMember()) {
            switch (in.name()) {
                case "content", "refusal" -> {
                    String more =
                            in.isString() ? in.string() : ContentReader.read(in).orEmpty();
                    choice.text = join(choice.text, more);
                }
                case "reasoning_content", "reasoning" -> choice.thinking = in.string();
                case "tool_calls" -> {
                    if (in.enterArray()) {
                        while (in.nextElement()) {
                            tool(choice);
                        }
                    }
                }
                case "function_call" -> {
                    ToolPart part = new ToolPart();
                    function(part);
                    part.id = part.name == null || part.name.isEmpty() ? null : "function_" + part.name;
                    choice.tools.add(part);
                }
                default -> in.skip();
            }
        }
    }

    private static @Nullable String join(@Nullable String before, @Nullable String more) {
        if (before == null || before.isEmpty()) {
            return more;
        }
        return more == null ? before : before + more;
    }

    private void tool(Choice choice) {
        if (!in.enterObject()) {
            return;
        }
        ToolPart part = new ToolPart();
        if (choice.tools.size() < SummaryBuilder.TOOL_CALLS_MAX) {
            choice.tools.add(part);
        }
        while (in.nextMember()) {
            switch (in.name()) {
                case "index" -> part.index = (int) in.integer(-1);
                case "id" -> part.id = in.string();
                case "function", "custom" -> function(part);
                default -> in.skip();
            }
        }
    }

    private void function(ToolPart part) {
        if (!in.enterObject()) {
            return;
        }
        while (in.nextMember()) {
            switch (in.name()) {
                case "name" -> part.name = in.string();
                case "arguments", "input" -> part.arguments = in.string();
                default -> in.skip();
            }
        }
    }

    private void emit(Choice choice) {
        if (choice.thinking != null && !choice.thinking.isEmpty()) {
            out.accept(new ThinkingDelta(choice.index, choice.thinking));
        }
        if (choice.text != null && !choice.text.isEmpty()) {
            out.accept(new TextDelta(choice.index, choice.text));
        }
        for (int place = 0; place < choice.tools.size(); place++) {
            emit(choice, choice.tools.get(place), place);
        }
        String reason = choice.finishReason;
        if (reason != null) {
            closeCalls(choice.index);
            out.accept(ReplyFormat.end(reason(reason)));
        } else if (choice.isWhole) {
            closeCalls(choice.index);
        }
    }

    private void emit(Choice choice, ToolPart part, int place) {
        // Some gateways leave the index out: then the place in the list stands for it.
        long key = ((long) choice.index << 32) | ((part.index < 0 ? place : part.index) & 0xFFFF_FFFFL);
        OpenCall call = open.get(key);
        boolean isNew = part.id != null
                && !part.id.isEmpty()
                && (call == null || !call.callId().equals(part.id));
        if (isNew || (call == null && part.name != null)) {
            if (call != null) {
                out.accept(new ToolCallEnd(call.number()));
            }
            String callId = isNew && part.id != null ? part.id : callId(part.name, calls);
            call = new OpenCall(calls++, callId);
            if (open.size() < SummaryBuilder.TOOL_CALLS_MAX) {
                open.put(key, call);
            }
            out.accept(new ToolCallStart(call.number(), callId, part.name == null ? "" : part.name));
        }
        if (call != null && part.arguments != null && !part.arguments.isEmpty()) {
            out.accept(new ToolCallArgumentDelta(call.number(), part.arguments));
        }
    }

    private void closeCalls(int choice) {
        open.entrySet().removeIf(entry -> {
            boolean isIts = (int) (entry.getKey() >> 32) == choice;
            if (isIts) {
                out.accept(new ToolCallEnd(entry.getValue().number()));
            }
            return isIts;
        });
    }

    @Override
    public void finish() {}

    /// With a forced tool the API says `stop`; what matters is that a tool was called.
    private StopReason reason(String word) {
        return switch (word) {
            case "stop" -> calls > 0 ? StopReason.TOOL_USE : StopReason.END_TURN;
            case "tool_calls", "function_call" -> StopReason.TOOL_USE;
            case "length" -> StopReason.MAX_TOKENS;
            case "content_filter" -> StopReason.CONTENT_FILTER;
            default -> new StopReason.Other(word);
        };
    }
}
