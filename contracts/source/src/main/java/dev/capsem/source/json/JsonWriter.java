package dev.capsem.source.json;

import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;

/// Writes JSON in the three forms the compiler prints: compact, indented by two blanks, and canonical (RFC 8785).
public final class JsonWriter {
    /// The largest integer a double holds exactly; RFC 8785 prints numbers as ECMAScript doubles.
    private static final double INTEGER_MAX = 9_007_199_254_740_991d;

    private JsonWriter() {}

    public static String compact(JsonValue value) {
        StringBuilder out = new StringBuilder();
        write(value, out, -1);
        return out.toString();
    }

    public static String pretty(JsonValue value) {
        StringBuilder out = new StringBuilder();
        write(value, out, 0);
        return out.toString();
    }

    /// Members sorted by UTF-16 code unit, no blanks, integers only.
    ///
    /// Requires: no fractions and no integers beyond 2^53; otherwise [UnsupportedNumber] is thrown.
    public static String canonical(JsonValue value) {
        StringBuilder out = new StringBuilder();
        writeCanonical(value, out);
        return out.toString();
    }

    /// A number outside the integers that every reader of the canonical form agrees on.
    public static final class UnsupportedNumber extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        UnsupportedNumber(String spelling) {
            super("the number " + spelling + " is not an integer that canonical JSON can hold");
        }
    }

    private static void write(JsonValue value, StringBuilder out, int depth) {
        switch (value) {
            case JsonValue.Members members -> writeMembers(members, out, depth);
            case JsonValue.Items items -> writeItems(items, out, depth);
            case JsonValue.Text text -> quote(text.value(), out);
            case JsonValue.Numeral number -> out.append(number.spelling());
            case JsonValue.Bool bool -> out.append(bool.value());
            case JsonValue.Null ignored -> out.append("null");
        }
    }

    private static void writeMembers(JsonValue.Members members, StringBuilder out, int depth) {
        out.append('{');
        Iterator<Map.Entry<String, JsonValue>> entries =
                members.map().entrySet().iterator();
        boolean any = entries.hasNext();
        while (entries.hasNext()) {
            Map.Entry<String, JsonValue> entry = entries.next();
            newLine(out, depth, 1);
            quote(entry.getKey(), out);
            out.append(depth < 0 ? ":" : ": ");
            write(entry.getValue(), out, depth < 0 ? depth : depth + 1);
            if (entries.hasNext()) {
                out.append(',');
            }
        }
        if (any) {
            newLine(out, depth, 0);
        }
        out.append('}');
    }

    private static void writeItems(JsonValue.Items items, StringBuilder out, int depth) {
        out.append('[');
        Iterator<JsonValue> values = items.list().iterator();
        boolean any = values.hasNext();
        while (values.hasNext()) {
            newLine(out, depth, 1);
            write(values.next(), out, depth < 0 ? depth : depth + 1);
            if (values.hasNext()) {
                out.append(',');
            }
        }
        if (any) {
            newLine(out, depth, 0);
        }
        out.append(']');
    }

    private static void newLine(StringBuilder out, int depth, int inner) {
        if (depth >= 0) {
            out.append('\n').repeat(' ', 2 * (depth + inner));
        }
    }

    private static void writeCanonical(JsonValue value, StringBuilder out) {
        switch (value) {
            case JsonValue.Members members -> {
                String separator = "{";
                for (Map.Entry<String, JsonValue> entry : new TreeMap<>(members.map()).entrySet()) {
                    out.append(separator);
                    quote(entry.getKey(), out);
                    out.append(':');
                    writeCanonical(entry.getValue(), out);
                    separator = ",";
                }
                out.append(members.map().isEmpty() ? "{}" : "}");
            }
            case JsonValue.Items items -> {
                out.append('[');
                String separator = "";
                for (JsonValue item : items.list()) {
                    out.append(separator);
                    writeCanonical(item, out);
                    separator = ",";
                }
                out.append(']');
            }
            case JsonValue.Numeral number -> out.append(integer(number.spelling()));
            case JsonValue.Text text -> quote(text.value(), out);
            case JsonValue.Bool bool -> out.append(bool.value());
            case JsonValue.Null ignored -> out.append("null");
        }
    }

    private static long integer(String spelling) {
        double number = Double.parseDouble(spelling);
        if (Double.isNaN(number) || Math.abs(number) > INTEGER_MAX || number != Math.rint(number)) {
            throw new UnsupportedNumber(spelling);
        }
        return (long) number;
    }

    private static void quote(String value, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\b' -> out.append("\\b");
                case '\f' -> out.append("\\f");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < 0x20) {
                        out.append("\\u00")
                                .append(Character.forDigit(c >> 4, 16))
                                .append(Character.forDigit(c & 15, 16));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
