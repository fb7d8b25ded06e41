package dev.capsem.security.condition;

import dev.capsem.security.schema.Field;
import java.util.List;

/// One of the parts that `&&` joins at the top of a condition: all must hold for it to match.
public final class Term {
    private final String text;
    private final Node node;
    private final List<Field> reads;

    public Term(String text, Node node, List<Field> reads) {
        this.text = text;
        this.node = node;
        this.reads = List.copyOf(reads);
    }

    /// In one spelling, so that equal terms have equal texts.
    public String text() {
        return text;
    }

    public List<Field> reads() {
        return reads;
    }

    public Match match(Frame frame) {
        frame.startRule();
        return Match.of(node.truth(frame));
    }
}
