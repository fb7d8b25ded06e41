package dev.capsem.llm.event;

import dev.capsem.llm.event.LlmEvent.ContentBlockEnd;
import dev.capsem.llm.event.LlmEvent.MessageEnd;
import dev.capsem.llm.event.LlmEvent.MessageStart;
import dev.capsem.llm.event.LlmEvent.TextDelta;
import dev.capsem.llm.event.LlmEvent.ThinkingDelta;
import dev.capsem.llm.event.LlmEvent.ToolCallArgumentDelta;
import dev.capsem.llm.event.LlmEvent.ToolCallEnd;
import dev.capsem.llm.event.LlmEvent.ToolCallStart;
import dev.capsem.llm.event.LlmEvent.Unknown;
import dev.capsem.llm.event.LlmEvent.Usage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Adds events up as they come and keeps none of them, so that a reply of any length takes bounded memory.
public final class SummaryBuilder implements Consumer<LlmEvent> {
    /// Text, thinking and arguments each: twice what the largest models may write in one reply. The rest is dropped
    /// and the summary says so.
    public static final int CHARACTERS_MAX = 1024 * 1024;

    /// More calls in one reply are dropped, and the summary says so.
    public static final int TOOL_CALLS_MAX = 1_000;

    /// More runs than this are not told apart.
    static final int BLOCKS_MAX = 2_000;

    /// Names of finer counts are ours, but for safety.
    private static final int DETAILS_MAX = 32;

    private Optional<String> messageId = Optional.empty();
    private Optional<String> model = Optional.empty();
    private final StringBuilder text = new StringBuilder();
    private final StringBuilder thinking = new StringBuilder();
    private final List<OpenCall> calls = new ArrayList<>();
    private final List<OpenBlock> blocks = new ArrayList<>();
    private final Map<String, Long> details = new HashMap<>();
    private OptionalLong inputTokens = OptionalLong.empty();
    private OptionalLong outputTokens = OptionalLong.empty();
    private Optional<StopReason> stopReason = Optional.empty();
    private Optional<String> error = Optional.empty();
    private long unknownEvents;
    private int argumentCharacters;
    private boolean isPartial;

    /// A tool call whose arguments may still come.
    private static final class OpenCall {
        private final int index;
        private final String callId;
        private final String name;
        private final StringBuilder arguments = new StringBuilder();
        private boolean isComplete;

        OpenCall(ToolCallStart start) {
            this.index = start.index();
            this.callId = start.callId();
            this.name = start.name();
        }
    }

    /// @param wireIndex the provider's number of the block
    private record OpenBlock(Kind kind, int wireIndex, int from) {
        enum Kind {
            TEXT,
            THINKING,
            TOOL
        }
    }

    @Override
    public void accept(LlmEvent event) {
        switch (event) {
            case MessageStart start -> {
                messageId = start.messageId().or(() -> messageId);
                model = start.model().or(() -> model);
            }
            case TextDelta delta -> append(OpenBlock.Kind.TEXT, text, delta.index(), delta.text());
            case ThinkingDelta delta -> append(OpenBlock.Kind.THINKING, thinking, delta.index(), delta.text());
            case ToolCallStart start -> start(start);
            case ToolCallArgumentDelta delta -> argument(delta);
            case ToolCallEnd end -> complete(end.index());
            case ContentBlockEnd end -> complete(end.index());
            case Usage usage -> merge(usage);
            case MessageEnd end -> stopReason = end.stopReason().or(() -> stopReason);
            case Unknown unknown -> {
                unknownEvents++;
                switch (unknown.eventType()) {
                    case Unknown.ERROR -> error = error.or(() -> Optional.of(unknown.raw()));
                    case Unknown.MALFORMED, Unknown.OVERSIZED -> isPartial = true;
                    default -> {}
                }
            }
        }
    }

    private void append(OpenBlock.Kind kind, StringBuilder to, int index, String more) {
        if (more.isEmpty()) {
            return;
        }
        OpenBlock last = blocks.isEmpty() ? null : blocks.getLast();
        if ((last == null || last.kind() != kind || last.wireIndex() != index) && blocks.size() < BLOCKS_MAX) {
            blocks.add(new OpenBlock(kind, index, to.length()));
        }
        appendCapped(to, more, CHARACTERS_MAX - to.length());
    }

    private void appendCapped(StringBuilder to, String more, int room) {
        if (more.length() <= room) {
            to.append(more);
        } else {
            to.append(more, 0, Math.max(0, room));
            isPartial = true;
        }
    }

    private void start(ToolCallStart start) {
        if (calls.size() >= TOOL_CALLS_MAX) {
            isPartial = true;
            return;
        }
        if (blocks.size() < BLOCKS_MAX) {
            blocks.add(new OpenBlock(OpenBlock.Kind.TOOL, start.index(), calls.size()));
        }
        calls.add(new OpenCall(start));
    }

    private void argument(ToolCallArgumentDelta delta) {
        OpenCall call = open(delta.index());
        if (call == null) {
            return;
        }
        int before = call.arguments.length();
        appendCapped(call.arguments, delta.delta(), CHARACTERS_MAX - argumentCharacters);
        argumentCharacters += call.arguments.length() - before;
    }

    private void complete(int index) {
        OpenCall call = open(index);
        if (call != null) {
            call.isComplete = true;
        }
    }

    /// The youngest open call of that index: providers reuse indexes.
    private @Nullable OpenCall open(int index) {
        for (int i = calls.size() - 1; i >= 0; i--) {
            OpenCall call = calls.get(i);
            if (call.index == index && !call.isComplete) {
                return call;
            }
        }
        return null;
    }

    private void merge(Usage usage) {
        inputTokens = usage.inputTokens().isPresent() ? usage.inputTokens() : inputTokens;
        outputTokens = usage.outputTokens().isPresent() ? usage.outputTokens() : outputTokens;
        usage.details().forEach((name, count) -> {
            if (details.size() < DETAILS_MAX || details.containsKey(name)) {
                details.put(name, count);
            }
        });
    }

    /// What the events so far come to. More may follow.
    public StreamSummary build() {
        List<Integer> order = IntStream.range(0, calls.size())
                .boxed()
                .sorted(Comparator.comparingInt(i -> calls.get(i).index))
                .toList();
        List<StreamSummary.ToolCall> sorted = order.stream()
                .map(calls::get)
                .map(call -> new StreamSummary.ToolCall(
                        call.index, call.callId, call.name, call.arguments.toString(), call.isComplete))
                .toList();
        return new StreamSummary(
                messageId,
                model,
                text.toString(),
                thinking.toString(),
                sorted,
                new Usage(inputTokens, outputTokens, details),
                stopReason,
                blocks(order),
                unknownEvents,
                error,
                isPartial);
    }

    private List<StreamSummary.Block> blocks(List<Integer> order) {
        int[] place = new int[order.size()];
        for (int i = 0; i < place.length; i++) {
            place[order.get(i)] = i;
        }
        List<StreamSummary.Block> built = new ArrayList<>();
        int textEnd = text.length();
        int thinkingEnd = thinking.length();
        for (OpenBlock block : blocks.reversed()) {
            switch (block.kind()) {
                case TEXT -> {
                    built.add(new StreamSummary.Block.Text(block.from(), textEnd));
                    textEnd = block.from();
                }
                case THINKING -> {
                    built.add(new StreamSummary.Block.Thinking(block.from(), thinkingEnd));
                    thinkingEnd = block.from();
                }
                case TOOL -> built.add(new StreamSummary.Block.Tool(place[block.from()]));
            }
        }
        return built.reversed();
    }
}
