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
import dev.capsem.llm.json.JsonCursor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Bedrock's Converse: messages of a binary stream whose header names the event, or a whole reply.
final class ConverseReply implements ReplyFormat {
    private final Consumer<LlmEvent> out;
    private final JsonCursor in = new JsonCursor(WireNames.ALL);
    private boolean isStarted;

    // What the piece at hand says.
    private int index;
    private boolean isWhole;
    private boolean isKnown;
    private boolean hasError;
    private @Nullable String stopReason;
    private @Nullable Usage usage;
    private final List<LlmEvent> blocks = new ArrayList<>();

    ConverseReply(Consumer<LlmEvent> out) {
        this.out = out;
    }

    @Override
    public Framing framing() {
        return Framing.FRAMES;
    }

    @Override
    public void read(String eventType, byte[] buffer, int from, int to) {
        index = 0;
        isWhole = false;
        isKnown = false;
        hasError = eventType.endsWith("Exception");
        stopReason = null;
        usage = null;
        blocks.clear();
        in.reset(buffer, from, to);
        members();
        boolean isJson = in.isAtEnd();
        if (!isStarted && (isKnown || eventType.equals("messageStart"))) {
            isStarted = true;
            out.accept(new MessageStart(Optional.empty(), Optional.empty()));
        }
        numbered().forEach(out);
        if (usage != null) {
            out.accept(usage);
        }
        if (stopReason != null) {
            out.accept(ReplyFormat.end(reason(stopReason)));
        }
        if (hasError) {
            out.accept(ReplyFormat.unknown(LlmEvent.Unknown.ERROR, buffer, from, to));
            out.accept(ReplyFormat.end(ERROR));
        }
        if (!isJson) {
            out.accept(ReplyFormat.unknown(LlmEvent.Unknown.MALFORMED, buffer, from, to));
        } else {
            other(eventType, buffer, from, to);
        }
    }

    private void other(String eventType, byte[] buffer, int from, int to) {
        switch (eventType) {
            case "contentBlockStop" -> {
                out.accept(new ToolCallEnd(index));
                out.accept(new ContentBlockEnd(index));
            }
            case "messageStart", "contentBlockStart", "contentBlockDelta", "messageStop", "metadata" -> {}
            default -> {
                if (!isKnown && !hasError) {
                    out.accept(ReplyFormat.unknown(eventType, buffer, from, to));
                }
            }
        }
    }

    /// The number of a stream's block may come after its content.
    private List<LlmEvent> numbered() {
        if (isWhole || index == 0) {
            return blocks;
        }
        return blocks.stream()
                .map(event -> switch (event) {
                    case TextDelta delta -> new TextDelta(index, delta.text());
                    case ThinkingDelta delta -> new ThinkingDelta(index, delta.text());
                    case ToolCallStart start -> new ToolCallStart(index, start.callId(), start.name());
                    case ToolCallArgumentDelta delta -> new ToolCallArgumentDelta(index, delta.delta());
                    default -> event;
                })
                .toList();
    }

    private void members() {
        if (!in.enterObject()) {
            return;
        }
        while (in.nextMember()) {
            switch (in.name()) {
                case "contentBlockIndex" -> index = (int) in.integer(0);
                case "start", "delta" -> block(0);
                case "output" -> {
                    isWhole = true;
                    isKnown = true;
                    output();
                }
                case "stopReason" -> stopReason = in.string();
                case "usage" -> {
                    isKnown = true;
                    usage = UsageReader.read(in);
                }
                default -> in.skip();
            }
        }
    }

    private void output() {
        if (!in.enterObject()) {
            return;
        }
        while (in.nextMember()) {
            switch (in.name()) {
                case "message" -> output();
                case "content" -> {
                    if (in.enterArray()) {
                        for (int number = 0; in.nextElement(); number++) {
                            block(number);
                            blocks.add(new ContentBlockEnd(number));
                        }
                    }
                }
                default -> in.skip();
            }
        }
    }

    private void block(int number) {
        if (!in.enterObject()) {
            return;
        }
        while (in.nextMember()) {
            switch (in.name()) {
                case "text" -> text(number, false);
                case "reasoningContent" -> reasoning(number);
                case "toolUse" -> tool(number);
                default -> in.skip();
            }
        }
    }

    private void text(int number, boolean isThinking) {
        String more = in.string();
        if (more != null && !more.isEmpty()) {
            blocks.add(isThinking ? new ThinkingDelta(number, more) : new TextDelta(number, more));
        }
    }

    private void reasoning(int number) {
        if (!in.enterObject()) {
            return;
        }
        while (in.nextMember()) {
            switch (in.name()) {
                case "text" -> text(number, true);
                case "reasoningText" -> reasoning(number);
                default -> in.skip();
            }
        }
    }

    /// A stream's delta has nothing but more of the arguments' text.
    private void tool(int number) {
        if (!in.enterObject()) {
            return;
        }
        String id = null;
        String name = null;
        String input = null;
        while (in.nextMember()) {
            switch (in.name()) {
                case "toolUseId" -> id = in.string();
                case "name" -> name = in.string();
                case "input" -> input = in.isString() ? in.string() : in.raw();
                default -> in.skip();
            }
        }
        if (id != null || name != null) {
            blocks.add(new ToolCallStart(number, id == null ? "" : id, name == null ? "" : name));
        }
        if (input != null) {
            blocks.add(new ToolCallArgumentDelta(number, input));
        }
    }

    @Override
    public void finish() {}

    private static StopReason reason(String word) {
        return switch (word) {
            case "end_turn" -> StopReason.END_TURN;
            case "tool_use" -> StopReason.TOOL_USE;
            case "max_tokens" -> StopReason.MAX_TOKENS;
            case "content_filtered", "guardrail_intervened" -> StopReason.CONTENT_FILTER;
            default -> new StopReason.Other(word);
        };
    }
}
