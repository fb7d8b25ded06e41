package dev.capsem.security.condition;

import com.google.re2j.Pattern;
import dev.capsem.events.security.JsonNull;
import dev.capsem.security.schema.Field;
import dev.capsem.security.schema.Unknown;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BinaryOperator;

/// Predicates made by other hands than CEL's: the parts from which detections are built. They are two-valued
/// where Sigma is: a test on a value that is not there is false, and its negation true.
public final class Predicates {
    /// A tree of tests.
    public static final class Predicate {
        private final Node node;
        private final Set<Field> reads;

        private Predicate(Node node, Set<Field> reads) {
            this.node = node;
            this.reads = Set.copyOf(reads);
        }

        public Match match(Frame frame) {
            frame.startRule();
            return Match.of(node.truth(frame));
        }

        public Set<Field> reads() {
            return reads;
        }
    }

    /// A value to test: a field, or something inside it.
    public static final class Subject {
        private final Node node;
        private final Field field;

        private Subject(Node node, Field field) {
            this.node = node;
            this.field = field;
        }

        public Field field() {
            return field;
        }
    }

    /// A test of one text.
    @FunctionalInterface
    public interface TextTest {
        boolean test(String text);
    }

    private Predicates() {}

    public static Subject field(Field field) {
        return new Subject((Node.Value) frame -> frame.read(field), field);
    }

    /// A member of a structure, by name; of a header map, its values.
    public static Subject member(Subject parent, String name) {
        Node node = (Node.Value) frame -> switch (parent.node.value(frame)) {
            case Unknown unknown -> unknown;
            case Object value -> Values.get(value, name);
        };
        return new Subject(node, parent.field);
    }

    /// Any of the texts in the value passes: the value itself, or each element of a list, each part of a structure.
    public static Predicate text(Subject subject, TextTest test) {
        Node node = Operators.test(
                subject.node,
                (value, frame) -> Truth.of(Values.anyLeaf(value, text -> {
                    frame.spend(text.length());
                    return test.test(text);
                })));
        return twoValued(node, subject);
    }

    public static Predicate pattern(Subject subject, Pattern pattern) {
        return text(subject, text -> pattern.matcher(text).find());
    }

    public static Predicate exists(Subject subject) {
        Node node = (Node.Test) frame -> switch (subject.node.value(frame)) {
            case Unknown unknown -> unknown.isOpen() ? Truth.EITHER : Truth.FALSE;
            case JsonNull _ -> Truth.FALSE;
            default -> Truth.TRUE;
        };
        return new Predicate(node, Set.of(subject.field));
    }

    public static Predicate all(List<Predicate> parts) {
        return combined(parts, Truth.TRUE, Operators::and);
    }

    public static Predicate any(List<Predicate> parts) {
        return combined(parts, Truth.FALSE, Operators::or);
    }

    public static Predicate not(Predicate part) {
        Node node = part.node;
        return new Predicate((Node.Test) frame -> Truth.not(node.truth(frame)), part.reads);
    }

    private static Predicate combined(List<Predicate> parts, int empty, BinaryOperator<Node> combine) {
        Node node = parts.stream().map(part -> part.node).reduce(combine).orElse((Node.Test) _ -> empty);
        Set<Field> reads = new LinkedHashSet<>();
        parts.forEach(part -> reads.addAll(part.reads));
        return new Predicate(node, reads);
    }

    private static Predicate twoValued(Node node, Subject subject) {
        Node total = (Node.Test) frame -> {
            int truth = node.truth(frame);
            return truth == Truth.MISSING ? Truth.FALSE : truth;
        };
        return new Predicate(total, Set.of(subject.field));
    }
}
