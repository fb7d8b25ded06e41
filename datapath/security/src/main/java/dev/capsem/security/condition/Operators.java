package dev.capsem.security.condition;

import com.google.re2j.Pattern;
import dev.capsem.security.schema.Unknown;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;

/// How a condition's operators compute, once their operands are nodes: values that are not there make the answer open
/// or missing, never false by accident (docs/adr/0010).
public final class Operators {
    private Operators() {}

    public static Node matches(Node subject, Pattern pattern) {
        return test(
                subject,
                (value, frame) -> Values.anyText(value, frame, text -> {
                    frame.spend(text.length());
                    return pattern.matcher(text).find();
                }));
    }

    public static Object ascii(Object value, char from, char to, int shift) {
        if (!(value instanceof String text)) {
            return Unknown.MISSING;
        }
        StringBuilder out = new StringBuilder(text.length());
        text.chars().forEach(c -> out.append((char) (c >= from && c <= to ? c + shift : c)));
        return out.toString();
    }

    public static Node and(Node left, Node right) {
        return (Node.Test) frame -> {
            int first = left.truth(frame);
            return first == Truth.FALSE ? Truth.FALSE : Truth.and(first, right.truth(frame));
        };
    }

    public static Node or(Node left, Node right) {
        return (Node.Test) frame -> {
            int first = left.truth(frame);
            return first == Truth.TRUE ? Truth.TRUE : Truth.or(first, right.truth(frame));
        };
    }

    public static Node choice(Node condition, Node yes, Node no) {
        return (Node.Value) frame -> switch (condition.truth(frame)) {
            case Truth.TRUE -> yes.value(frame);
            case Truth.FALSE -> no.value(frame);
            case Truth.MISSING -> Unknown.MISSING;
            default -> Unknown.UNREAD;
        };
    }

    public static Node contains(Node subject, Node needle) {
        return test(
                subject,
                needle,
                (value, wanted, frame) -> wanted instanceof String text
                        ? Values.anyText(value, frame, whole -> {
                            frame.spend(whole.length() / 8);
                            return whole.contains(text);
                        })
                        : Truth.MISSING);
    }

    public static boolean equal(Object left, Object right, Frame frame) {
        if (left instanceof List<?> list) {
            frame.spend(list.size());
        }
        return Values.equal(left, right);
    }

    /// A test on two texts.
    public interface TextTest {
        boolean test(String value, String part);
    }

    public static Node texts(List<Node> nodes, TextTest test) {
        return test(
                nodes.get(0),
                nodes.get(1),
                (value, part, _) -> value instanceof String text && part instanceof String wanted
                        ? Truth.of(test.test(text, wanted))
                        : Truth.MISSING);
    }

    public static Node order(List<Node> nodes, IntPredicate test) {
        return test(nodes.get(0), nodes.get(1), (a, b, _) -> {
            int sign = Values.order(a, b);
            return sign == Integer.MIN_VALUE ? unordered(a, b) : Truth.of(test.test(sign));
        });
    }

    /// NaN is a number without an order: false, as in CEL. Anything else without an order has the wrong type.
    static int unordered(Object left, Object right) {
        return left instanceof Number && right instanceof Number ? Truth.FALSE : Truth.MISSING;
    }

    /// Computes a set of [Truth] bits from two values that are there.
    @FunctionalInterface
    public interface Test2 {
        int apply(Object left, Object right, Frame frame);
    }

    /// Computes a set of [Truth] bits from a value that is there.
    @FunctionalInterface
    public interface Test1 {
        int apply(Object value, Frame frame);
    }

    public static Node test(Node subject, Test1 test) {
        return (Node.Test) frame -> {
            Object value = subject.value(frame);
            return value instanceof Unknown unknown ? truth(unknown) : test.apply(value, frame);
        };
    }

    public static Node test(Node left, Node right, Test2 test) {
        return (Node.Test) frame -> {
            Object a = left.value(frame);
            if (a == Unknown.MISSING) {
                return Truth.MISSING;
            }
            Object b = right.value(frame);
            if (b instanceof Unknown unknown) {
                return truth(unknown);
            }
            return a instanceof Unknown unknown ? truth(unknown) : test.apply(a, b, frame);
        };
    }

    public static int truth(Unknown unknown) {
        return unknown.isOpen() ? Truth.ANY : Truth.MISSING;
    }

    /// Computes a value from two values that are there.
    @FunctionalInterface
    public interface Compute2 {
        Object apply(Object left, Object right, Frame frame);
    }

    public static Node strict(Node left, Node right, Compute2 compute) {
        return (Node.Value) frame -> {
            Object a = left.value(frame);
            if (a == Unknown.MISSING) {
                return a;
            }
            Object b = right.value(frame);
            if (b instanceof Unknown) {
                return b;
            }
            return a instanceof Unknown ? a : compute.apply(a, b, frame);
        };
    }

    public static Node strict(Node operand, UnaryOperator<Object> compute) {
        return (Node.Value) frame -> {
            Object value = operand.value(frame);
            return value instanceof Unknown ? value : compute.apply(value);
        };
    }
}
