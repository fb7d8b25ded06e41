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
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Anthropic Messages: events of a stream, a whole message, and the older text completion.
final class AnthropicReply implements ReplyFormat {
    private final Consumer<LlmEvent> out;
    private final JsonCursor in = new JsonCursor(WireNames.ALL);
    private final Set<Integer> openTools = new HashSet<>();
    private @Nullable String stopReason;
    private boolean isEnded;

    // What the piece at hand says; its members may come in any order.
    private String type = "";
    private int index;
    private String innerType = "";
    private @Nullable String messageId;
    private @Nullable String model;
    private @Nullable String text;
    private @Nullable String blockId;
    private @Nullable String blockName;
    private @Nullable String blockInput;
    private @Nullable Usage usage;
    private final List<LlmEvent> blocks = new ArrayList<>();

    AnthropicReply(Consumer<LlmEvent> out) {
        this.out = out;
    }

    @Override
    public void read(String eventType, byte[] buffer, int from, int to) {
        clear();
        in.reset(buffer, from, to);
        members();
        boolean isWhole = in.isAtEnd();
        if (type.equals("message") || type.equals("completion")) {
            wholeReply();
        } else if (isWhole) {
            event(eventType, buffer, from, to);
        }
        if (!isWhole) {
            out.accept(ReplyFormat.unknown(LlmEvent.Unknown.MALFORMED, buffer, from, to));
        }
    }

    private void clear() {
        type = "";
        index = 0;
        innerType = "";
        messageId = null;
        model = null;
        text = null;
        blockId = null;
        blockName = null;
        blockInput = null;
        usage = null;
        blocks.clear();
    }

    /// The members of an event and of the message it holds have different names, but for `type`.
    private void members() {
        if (!in.enterObject()) {
            return;
        }
        while (in.nextMember()) {
            switch (in.name()) {
                case "type" -> type = in.word();
                case "index" -> index = (int) in.integer(0);
                case "delta", "content_block" -> inner();
                case "message" -> {
                    String outer = type;
                    members();
                    type = outer;
                }
                case "usage" -> usage = UsageReader.read(in);
                case "id" -> messageId = in.string();
                case "model" -> model = in.string();
                case "stop_reason" -> stopReason = later(in.string(), stopReason);
                case "completion" -> text = in.string();
                case "content" -> content();
                default -> in.skip();
            }
        }
    }

    private static @Nullable String later(@Nullable String now, @Nullable String before) {
        return now == null ? before : now;
    }

    /// A delta, or the start of a block.
    private void inner() {
        if (!in.enterObject()) {
            return;
        }
        while (in.nextMember()) {
            switch (in.name()) {
                case "type" -> innerType = in.word();
                case "text", "thinking", "partial_json" -> text = in.string();
                case "stop_reason" -> stopReason = later(in.string(), stopReason);
                case "id" -> blockId = in.string();
                case "name" -> blockName = in.string();
                case "input" -> blockInput = in.raw();
                default -> in.skip();
            }
        }
    }

    private void content() {
        if (!in.enterArray()) {
            return;
        }
        for (int number = 0; in.nextElement(); number++) {
            innerType = "";
            text = null;
            blockId = null;
            blockName = null;
            blockInput = null;
            inner();
            block(number);
            blocks.add(new ContentBlockEnd(number));
        }
        innerType = "";
        text = null;
    }

    private void block(int number) {
        switch (innerType) {
            case "text" -> blocks.add(new TextDelta(number, text == null ? "" : text));
            case "thinking" -> blocks.add(new ThinkingDelta(number, text == null ? "" : text));
            case "tool_use" -> {
                blocks.add(new ToolCallStart(number, orEmpty(blockId), orEmpty(blockName)));
                if (blockInput != null) {
                    blocks.add(new ToolCallArgumentDelta(number, blockInput));
                    blocks.add(new ToolCallEnd(number));
                }
            }
            case "redacted_thinking" -> {}
            default -> blocks.add(new LlmEvent.Unknown(innerType.isEmpty() ? "content_block" : innerType, ""));
        }
    }

    private static String orEmpty(@Nullable String word) {
        return word == null ? "" : word;
    }

    private void wholeReply() {
        out.accept(new MessageStart(Optional.ofNullable(messageId), Optional.ofNullable(model)));
        blocks.forEach(out);
        if (type.equals("completion") && text != null) {
            out.accept(new TextDelta(0, text));
        }
        usage();
        messageEnd();
    }

    private void event(String eventType, byte[] buffer, int from, int to) {
        switch (type.isEmpty() ? eventType : type) {
            case "content_block_delta" -> delta(buffer, from, to);
            case "content_block_start" -> blockStart(buffer, from, to);
            case "content_block_stop" -> {
                if (openTools.remove(index)) {
                    out.accept(new ToolCallEnd(index));
                }
                out.accept(new ContentBlockEnd(index));
            }
            case "message_start" -> {
                out.accept(new MessageStart(Optional.ofNullable(messageId), Optional.ofNullable(model)));
                blocks.forEach(out);
                usage();
            }
            case "message_delta" -> usage();
            case "message_stop" -> messageEnd();
            case "ping" -> {}
            case "error" -> {
                out.accept(ReplyFormat.unknown(LlmEvent.Unknown.ERROR, buffer, from, to));
                isEnded = true;
                out.accept(ReplyFormat.end(ERROR));
            }
            default -> out.accept(ReplyFormat.unknown(eventType, buffer, from, to));
        }
    }

    private void delta(byte[] buffer, int from, int to) {
        String more = text;
        switch (innerType) {
            case "text_delta" -> out.accept(new TextDelta(index, orEmpty(more)));
            case "thinking_delta" -> out.accept(new ThinkingDelta(index, orEmpty(more)));
            case "input_json_delta" -> out.accept(new ToolCallArgumentDelta(index, orEmpty(more)));
            case "signature_delta", "citations_delta" -> {}
            default -> out.accept(ReplyFormat.unknown("content_block_delta", buffer, from, to));
        }
    }

    private void blockStart(byte[] buffer, int from, int to) {
        switch (innerType) {
            case "text" -> {
                if (text != null && !text.isEmpty()) {
                    out.accept(new TextDelta(index, text));
                }
            }
            case "thinking" -> {
                if (text != null && !text.isEmpty()) {
                    out.accept(new ThinkingDelta(index, text));
                }
            }
            case "tool_use" -> {
                if (openTools.size() < SummaryBuilder.TOOL_CALLS_MAX) {
                    openTools.add(index);
                }
                out.accept(new ToolCallStart(index, orEmpty(blockId), orEmpty(blockName)));
                // The arguments follow as deltas, but for gateways that know them all at the start.
                if (blockInput != null && blockInput.length() > 2) {
                    out.accept(new ToolCallArgumentDelta(index, blockInput));
                }
            }
            case "redacted_thinking" -> {}
            default -> out.accept(ReplyFormat.unknown("content_block_start", buffer, from, to));
        }
    }

    private void usage() {
        if (usage != null) {
            out.accept(usage);
        }
    }

    private void messageEnd() {
        if (stopReason != null || !isEnded) {
            isEnded = true;
            out.accept(new LlmEvent.MessageEnd(Optional.ofNullable(stopReason).map(AnthropicReply::reason)));
        }
    }

    /// A stream that was cut after its last delta still said why it ends.
    @Override
    public void finish() {
        if (!isEnded && stopReason != null) {
            messageEnd();
        }
    }

    private static StopReason reason(String word) {
        return switch (word) {
            case "end_turn" -> StopReason.END_TURN;
            case "tool_use" -> StopReason.TOOL_USE;
            case "max_tokens" -> StopReason.MAX_TOKENS;
            case "content_filter" -> StopReason.CONTENT_FILTER;
            default -> new StopReason.Other(word);
        };
    }
}
