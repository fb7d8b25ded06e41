package dev.capsem.llm.provider;

import dev.capsem.llm.event.LlmEvent;
import dev.capsem.llm.event.LlmEvent.ContentBlockEnd;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// OpenAI Responses: events of a stream, and a whole response. The last event of a stream repeats all of it, which
/// counts only if nothing came before.
final class OpenAiResponsesReply implements ReplyFormat {
    private final Consumer<LlmEvent> out;
    private final JsonCursor in = new JsonCursor(WireNames.ALL);
    private boolean isStarted;
    private boolean hasContent;
    private int calls;

    /// Calls that were announced and not finished, by output index; the value says whether arguments came.
    private final Map<Integer, Boolean> open = new HashMap<>();

    // What the piece at hand says.
    private String type = "";
    private int outputIndex;
    private @Nullable String delta;
    private @Nullable String arguments;
    private @Nullable Item item;
    private boolean hasError;
    private @Nullable String responseId;
    private @Nullable String model;
    private String status = "";
    private @Nullable String incompleteReason;
    private @Nullable Usage usage;
    private final List<Item> output = new ArrayList<>();

    private static final class Item {
        private String type = "";
        private @Nullable String callId;
        private @Nullable String name;
        private @Nullable String arguments;
        private @Nullable String text;
        private @Nullable String thinking;

        boolean isCall() {
            return type.equals("function_call") || type.equals("custom_tool_call");
        }
    }

    OpenAiResponsesReply(Consumer<LlmEvent> out) {
        this.out = out;
    }

    @Override
    public void read(String eventType, byte[] buffer, int from, int to) {
        clear();
        in.reset(buffer, from, to);
        members();
        boolean isWhole = in.isAtEnd();
        if (type.isEmpty() && (!output.isEmpty() || !status.isEmpty())) {
            wholeReply(buffer, from, to);
        } else if (isWhole) {
            event(eventType, buffer, from, to);
        }
        if (!isWhole) {
            out.accept(ReplyFormat.unknown(LlmEvent.Unknown.MALFORMED, buffer, from, to));
        }
    }

    private void clear() {
        type = "";
        outputIndex = 0;
        delta = null;
        arguments = null;
        item = null;
        hasError = false;
        responseId = null;
        model = null;
        status = "";
        incompleteReason = null;
        usage = null;
        output.clear();
    }

    /// The members of an event and of the response it holds have different names.
    private void members() {
        if (!in.enterObject()) {
            return;
        }
        while (in.nextMember()) {
            switch (in.name()) {
                case "type" -> type = in.word();
                case "output_index" -> outputIndex = (int) in.integer(0);
                case "delta" -> delta = in.string();
                case "arguments", "input" -> arguments = in.string();
                case "item" -> item = item();
                case "response" -> {
                    String outer = type;
                    members();
                    type = outer;
                }
                case "id" -> responseId = in.string();
                case "model" -> model = in.string();
                case "status" -> status = in.word();
                case "error" -> {
                    hasError |= !in.isNull();
                    in.skip();
                }
                case "incomplete_details" -> incompleteDetails();
                case "usage" -> usage = in.isObject() ? UsageReader.read(in) : skipped();
                case "output" -> {
                    if (in.enterArray()) {
                        while (in.nextElement()) {
                            Item next = item();
                            if (output.size() < SummaryBuilder.TOOL_CALLS_MAX) {
                                output.add(next);
                            }
                        }
                    }
                }
                default -> in.skip();
            }
        }
    }

    private @Nullable Usage skipped() {
        in.skip();
        return null;
    }

    private void incompleteDetails() {
        if (!in.enterObject()) {
            return;
        }
        while (in.nextMember()) {
            if (in.name().equals("reason")) {
                incompleteReason = in.string();
            } else {
                in.skip();
            }
        }
    }

    private Item item() {
        Item found = new Item();
        if (!in.enterObject()) {
            return found;
        }
        while (in.nextMember()) {
            switch (in.name()) {
                case "type" -> found.type = in.word();
                case "call_id" -> found.callId = in.string();
                case "name" -> found.name = in.string();
                case "arguments", "input" -> found.arguments = in.string();
                case "content" -> found.text = ContentReader.read(in).orEmpty();
                case "summary" -> found.thinking = ContentReader.read(in).orEmpty();
                default -> in.skip();
            }
        }
        return found;
    }

    private void wholeReply(byte[] buffer, int from, int to) {
        start();
        output();
        end(status.isEmpty() ? "completed" : status, buffer, from, to);
    }

    private void event(String eventType, byte[] buffer, int from, int to) {
        switch (type.isEmpty() ? eventType : type) {
            case "response.output_text.delta", "response.refusal.delta" -> {
                hasContent = true;
                out.accept(new TextDelta(outputIndex, orEmpty(delta)));
            }
            case "response.reasoning_summary_text.delta", "response.reasoning_text.delta" -> {
                hasContent = true;
                out.accept(new ThinkingDelta(outputIndex, orEmpty(delta)));
            }
            case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta" -> {
                open.replace(outputIndex, true);
                out.accept(new ToolCallArgumentDelta(outputIndex, orEmpty(delta)));
            }
            case "response.function_call_arguments.done", "response.custom_tool_call_input.done" ->
                wholeArguments(arguments);
            case "response.output_item.added" -> {
                if (item != null && item.isCall()) {
                    startCall(outputIndex, item);
                }
            }
            case "response.output_item.done" -> itemDone();
            case "response.created", "response.in_progress", "response.queued" -> start();
            case "response.completed" -> last("completed", buffer, from, to);
            case "response.incomplete" -> last("incomplete", buffer, from, to);
            case "response.failed" -> last("failed", buffer, from, to);
            case "response.cancelled" -> last("cancelled", buffer, from, to);
            case "error" -> failed(buffer, from, to, ERROR);
            case "response.output_text.done",
                    "response.output_text.annotation.added",
                    "response.content_part.added",
                    "response.content_part.done",
                    "response.refusal.done",
                    "response.reasoning_summary_text.done",
                    "response.reasoning_summary_part.added",
                    "response.reasoning_summary_part.done",
                    "response.reasoning_text.done" -> {}
            default -> {
                if (hasError) {
                    failed(buffer, from, to, ERROR);
                } else {
                    out.accept(ReplyFormat.unknown(eventType, buffer, from, to));
                }
            }
        }
    }

    private static String orEmpty(@Nullable String word) {
        return word == null ? "" : word;
    }

    private void start() {
        if (!isStarted) {
            isStarted = true;
            out.accept(new MessageStart(Optional.ofNullable(responseId), Optional.ofNullable(model)));
        }
    }

    private void startCall(int index, Item call) {
        hasContent = true;
        calls++;
        if (open.size() < SummaryBuilder.TOOL_CALLS_MAX) {
            open.put(index, false);
        }
        out.accept(new ToolCallStart(index, orEmpty(call.callId), orEmpty(call.name)));
    }

    /// The end of the arguments repeats them; they count if they were not streamed.
    private void wholeArguments(@Nullable String whole) {
        if (whole != null && !whole.isEmpty() && Boolean.FALSE.equals(open.get(outputIndex))) {
            open.put(outputIndex, true);
            out.accept(new ToolCallArgumentDelta(outputIndex, whole));
        }
    }

    private void itemDone() {
        Item done = item;
        if (done == null) {
            return;
        }
        if (!done.isCall()) {
            out.accept(new ContentBlockEnd(outputIndex));
            return;
        }
        if (!open.containsKey(outputIndex)) {
            startCall(outputIndex, done);
        }
        wholeArguments(done.arguments);
        open.remove(outputIndex);
        out.accept(new ToolCallEnd(outputIndex));
    }

    private void last(String how, byte[] buffer, int from, int to) {
        start();
        if (!hasContent) {
            output();
        }
        end(how, buffer, from, to);
    }

    private void output() {
        for (int number = 0; number < output.size(); number++) {
            Item next = output.get(number);
            if (next.isCall()) {
                startCall(number, next);
                open.remove(number);
                out.accept(new ToolCallArgumentDelta(number, orEmpty(next.arguments)));
                out.accept(new ToolCallEnd(number));
                continue;
            }
            boolean isReasoning = next.type.equals("reasoning");
            if (isReasoning && next.thinking != null) {
                out.accept(new ThinkingDelta(number, next.thinking));
            }
            if (next.text != null) {
                out.accept(isReasoning ? new ThinkingDelta(number, next.text) : new TextDelta(number, next.text));
            }
            out.accept(new ContentBlockEnd(number));
        }
    }

    private void end(String how, byte[] buffer, int from, int to) {
        if (usage != null) {
            out.accept(usage);
        }
        switch (how) {
            case "completed" -> out.accept(ReplyFormat.end(calls > 0 ? StopReason.TOOL_USE : StopReason.END_TURN));
            case "incomplete" -> out.accept(ReplyFormat.end(incomplete(orEmpty(incompleteReason))));
            case "failed" -> failed(buffer, from, to, new StopReason.Other("failed"));
            default -> out.accept(ReplyFormat.end(new StopReason.Other(how)));
        }
    }

    private static StopReason incomplete(String reason) {
        return switch (reason) {
            case "max_output_tokens" -> StopReason.MAX_TOKENS;
            case "content_filter" -> StopReason.CONTENT_FILTER;
            case "" -> new StopReason.Other("incomplete");
            default -> new StopReason.Other(reason);
        };
    }

    private void failed(byte[] buffer, int from, int to, StopReason reason) {
        out.accept(ReplyFormat.unknown(LlmEvent.Unknown.ERROR, buffer, from, to));
        out.accept(ReplyFormat.end(reason));
    }

    @Override
    public void finish() {}
}
