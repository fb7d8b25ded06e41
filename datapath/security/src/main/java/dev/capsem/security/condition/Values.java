package dev.capsem.security.condition;

import dev.capsem.events.security.JsonDocument;
import dev.capsem.security.schema.Unknown;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// CEL's operations on values: `String`, `Long`, `Double`, `Boolean`, [JsonNull], `List` and `Map`. An operation on
/// a value of a type it does not have gives `MISSING`: there is no value of the right type there.
public final class Values {
    private Values() {}

    /// CEL's equality: numbers compare across types, values of different types are not equal.
    static boolean equal(Object left, Object right) {
        if (left instanceof Number a && right instanceof Number b) {
            return compare(a, b) == 0;
        }
        if (left instanceof List<?> a && right instanceof List<?> b) {
            if (a.size() != b.size()) {
                return false;
            }
            for (int i = 0; i < a.size(); i++) {
                if (!equal(element(a, i), element(b, i))) {
                    return false;
                }
            }
            return true;
        }
        if (left instanceof Map<?, ?> a && right instanceof Map<?, ?> b) {
            return a.size() == b.size()
                    && a.entrySet().stream().allMatch(entry -> {
                        Object other = get(b, Objects.requireNonNull(entry.getKey()));
                        return !(other instanceof Unknown) && equal(Objects.requireNonNull(entry.getValue()), other);
                    });
        }
        return left.equals(right);
    }

    /// Negative, zero or positive; `Integer.MIN_VALUE` if the two have no order.
    static int order(Object left, Object right) {
        if (left instanceof Number a && right instanceof Number b) {
            return compare(a, b);
        }
        if (left instanceof String a && right instanceof String b) {
            return Integer.signum(compareCodePoints(a, b));
        }
        if (left instanceof Boolean a && right instanceof Boolean b) {
            return Boolean.compare(a, b);
        }
        return Integer.MIN_VALUE;
    }

    /// NaN has no order and equals nothing.
    private static int compare(Number left, Number right) {
        if (left instanceof Long a && right instanceof Long b) {
            return Long.compare(a, b);
        }
        if (left instanceof Double a && right instanceof Double b) {
            return compareDoubles(a, b);
        }
        return left instanceof Long a
                ? -compareMixed(right.doubleValue(), a)
                : compareMixed(left.doubleValue(), right.longValue());
    }

    private static int compareDoubles(double a, double b) {
        return a < b ? -1 : a > b ? 1 : a == b ? 0 : Integer.MIN_VALUE;
    }

    /// Exact: a long beyond 2^53 is not rounded to the double it is compared with.
    private static int compareMixed(double a, long b) {
        if (Double.isNaN(a)) {
            return Integer.MIN_VALUE;
        }
        if (a >= 0x1p63) {
            return 1;
        }
        if (a < -0x1p63) {
            return -1;
        }
        int whole = Long.compare((long) a, b);
        return whole != 0 ? whole : compareDoubles(a - (double) (long) a, 0.0);
    }

    /// UTF-16 order differs from CEL's code point order for characters beyond the first plane.
    private static int compareCodePoints(String a, String b) {
        int i = 0;
        while (i < a.length() && i < b.length() && a.charAt(i) == b.charAt(i)) {
            i++;
        }
        if (i == a.length() || i == b.length()) {
            return Integer.compare(a.length(), b.length());
        }
        char x = a.charAt(i);
        char y = b.charAt(i);
        boolean surrogates = Character.isSurrogate(x) != Character.isSurrogate(y);
        return surrogates ? (Character.isSurrogate(x) ? 1 : -1) : Character.compare(x, y);
    }

    public static Object add(Object left, Object right, Frame frame) {
        return switch (left) {
            case Long a when right instanceof Long b -> exact(() -> Math.addExact(a, b));
            case Double a when right instanceof Double b -> (Object) (a + b);
            case String a
            when right instanceof String b -> {
                frame.spend((long) a.length() + b.length());
                yield a + b;
            }
            case List<?> a
            when right instanceof List<?> b -> {
                frame.spend((long) a.size() + b.size());
                List<Object> joined = new ArrayList<>(a.size() + b.size());
                joined.addAll(a);
                joined.addAll(b);
                yield joined;
            }
            default -> Unknown.MISSING;
        };
    }

    public static Object subtract(Object left, Object right) {
        return switch (left) {
            case Long a when right instanceof Long b -> exact(() -> Math.subtractExact(a, b));
            case Double a when right instanceof Double b -> (Object) (a - b);
            default -> Unknown.MISSING;
        };
    }

    public static Object multiply(Object left, Object right) {
        return switch (left) {
            case Long a when right instanceof Long b -> exact(() -> Math.multiplyExact(a, b));
            case Double a when right instanceof Double b -> (Object) (a * b);
            default -> Unknown.MISSING;
        };
    }

    public static Object divide(Object left, Object right) {
        return switch (left) {
            case Long a
            when right instanceof Long b -> {
                checkDivisor(b);
                yield exact(() -> Math.divideExact(a, b));
            }
            case Double a when right instanceof Double b -> (Object) (a / b);
            default -> Unknown.MISSING;
        };
    }

    public static Object modulo(Object left, Object right) {
        if (left instanceof Long a && right instanceof Long b) {
            checkDivisor(b);
            return a % b;
        }
        return Unknown.MISSING;
    }

    public static Object negate(Object value) {
        return switch (value) {
            case Long a -> exact(() -> Math.negateExact(a));
            case Double a -> (Object) (-a);
            default -> Unknown.MISSING;
        };
    }

    private static void checkDivisor(long divisor) {
        if (divisor == 0) {
            throw new EvaluationFailure(EvaluationFailure.Kind.DIVISION_BY_ZERO);
        }
    }

    private static Object exact(LongSupplier operation) {
        try {
            return operation.getAsLong();
        } catch (ArithmeticException tooLarge) {
            throw new EvaluationFailure(EvaluationFailure.Kind.OVERFLOW);
        }
    }

    public static Object size(Object value) {
        return switch (value) {
            case String text -> (long) text.codePointCount(0, text.length());
            case List<?> list -> (long) list.size();
            case Map<?, ?> map -> (long) map.size();
            default -> Unknown.MISSING;
        };
    }

    /// `map[key]`, `list[index]`, `map.key`.
    public static Object get(Object container, Object key) {
        if (container instanceof Map<?, ?> map) {
            Object direct = map.get(key);
            if (direct != null) {
                return direct;
            }
            if (key instanceof Number) {
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    if (equal(Objects.requireNonNull(entry.getKey()), key)) {
                        return Objects.requireNonNull(entry.getValue());
                    }
                }
            }
            return Unknown.MISSING;
        }
        if (container instanceof List<?> list && key instanceof Number number) {
            double index = number.doubleValue();
            boolean inside = index == Math.rint(index) && index >= 0 && index < list.size();
            return inside ? element(list, (int) index) : Unknown.MISSING;
        }
        return Unknown.MISSING;
    }

    public static Object element(List<?> list, int index) {
        return Objects.requireNonNull(list.get(index));
    }

    /// `x in container`.
    public static int in(Object value, Object container, Frame frame) {
        if (container instanceof List<?> list) {
            frame.spend(list.size());
            for (int i = 0; i < list.size(); i++) {
                if (equal(value, element(list, i))) {
                    return Truth.TRUE;
                }
            }
            return Truth.FALSE;
        }
        return container instanceof Map<?, ?> map ? Truth.of(!(get(map, value) instanceof Unknown)) : Truth.MISSING;
    }

    /// A text passes the test itself; a structure passes if any text in it does, key or value, or its compact
    /// JSON text.
    static int anyText(Object value, Frame frame, Predicate<String> test) {
        return switch (value) {
            case String text -> Truth.of(test.test(text));
            case Map<?, ?> _, List<?> _ -> {
                String whole = JsonDocument.of(value).text();
                frame.spend(whole.length());
                yield Truth.of(test.test(whole) || anyLeaf(value, test));
            }
            default -> Truth.MISSING;
        };
    }

    /// Any text inside passes; of a map also its keys. Numbers and truth values have their text.
    static boolean anyLeaf(Object value, Predicate<String> test) {
        return switch (value) {
            case String text -> test.test(text);
            case List<?> list -> list.stream().anyMatch(element -> anyLeaf(Objects.requireNonNull(element), test));
            case Map<?, ?> map ->
                map.entrySet().stream()
                        .anyMatch(entry -> test.test((String) Objects.requireNonNull(entry.getKey()))
                                || anyLeaf(Objects.requireNonNull(entry.getValue()), test));
            case Long _, Double _, Boolean _ -> test.test((String) toText(value));
            default -> false;
        };
    }

    public static Object toInt(Object value) {
        return switch (value) {
            case Long number -> number;
            case Double number -> {
                if (!(number > -0x1p63 && number < 0x1p63)) {
                    throw new EvaluationFailure(EvaluationFailure.Kind.OVERFLOW);
                }
                yield (Object) (long) (double) number;
            }
            case String text -> parsed(() -> Long.valueOf(text));
            default -> Unknown.MISSING;
        };
    }

    public static Object toDouble(Object value) {
        return switch (value) {
            case Long number -> (Object) (double) number;
            case Double number -> number;
            case String text -> parsed(() -> Double.valueOf(text));
            default -> Unknown.MISSING;
        };
    }

    public static Object toText(Object value) {
        return switch (value) {
            case String text -> text;
            case Long number -> number.toString();
            case Boolean truth -> truth.toString();
            case Double number ->
                number == Math.rint(number) && Math.abs(number) < 0x1p53
                        ? Long.toString(number.longValue())
                        : number.toString();
            default -> Unknown.MISSING;
        };
    }

    private static Object parsed(Supplier<Object> parse) {
        try {
            return parse.get();
        } catch (NumberFormatException notANumber) {
            throw new EvaluationFailure(EvaluationFailure.Kind.CONVERSION);
        }
    }
}
