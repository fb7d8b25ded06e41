package dev.capsem.llm;

import dev.capsem.llm.event.LlmEvent;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/// Tells of what a reply has and nobody here understands: each kind once, by its name, never what it holds.
final class UnknownEvents {
    /// More kinds in one reply are not told of.
    private static final int KINDS_MAX = 16;

    private static final int NAME_CHARACTERS_MAX = 64;

    private final Consumer<String> log;
    private final Set<String> met = new HashSet<>();

    UnknownEvents(Consumer<String> log) {
        this.log = log;
    }

    void met(String eventType) {
        if (eventType.equals(LlmEvent.Unknown.ERROR) || met.size() >= KINDS_MAX) {
            return;
        }
        String name = readable(eventType);
        if (met.add(name)) {
            log.accept(name);
        }
    }

    /// The other side chose the name: whatever is no part of a word stays out of the log.
    private static String readable(String eventType) {
        String cut = eventType.substring(0, Math.min(eventType.length(), NAME_CHARACTERS_MAX));
        String word = cut.replaceAll("[^A-Za-z0-9._:-]", "?");
        return word.isEmpty() ? "(no name)" : word;
    }
}
