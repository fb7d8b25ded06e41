package dev.capsem.events.security;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The fields of an HTTP message in the order sent. Names compare without regard to case and are kept in
/// lower case.
public final class Headers {
    public static final Headers NONE = new Headers(List.of());

    /// Which characters a token may have, by their number.
    private static final boolean[] TOKEN = new boolean[127];

    static {
        for (char c = '!'; c < TOKEN.length; c++) {
            TOKEN[c] = "\"(),/:;<=>?@[\\]{}".indexOf(c) < 0;
        }
    }

    /// One field line.
    public record Field(String name, String value) {
        public Field {
            name = name.toLowerCase(Locale.ROOT);
            if (!isName(name)) {
                throw new IllegalArgumentException("not a header name");
            }
            if (!isValue(value)) {
                throw new IllegalArgumentException("the value of header " + name + " has a control character");
            }
        }

        @Override
        public String toString() {
            return name + ": ***";
        }
    }

    private final List<Field> fields;

    /// Made when a rule first asks for it: most messages are judged by less.
    private volatile @Nullable Map<String, List<String>> byName;

    private Headers(List<Field> fields) {
        this.fields = List.copyOf(fields);
    }

    public static Headers of(List<Field> fields) {
        return fields.isEmpty() ? NONE : new Headers(fields);
    }

    /// Names and values by turns.
    public static Headers of(String... namesAndValues) {
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            fields.add(new Field(namesAndValues[i], namesAndValues[i + 1]));
        }
        return of(fields);
    }

    /// An RFC 9110 token.
    public static boolean isName(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= TOKEN.length || !TOKEN[c]) {
                return false;
            }
        }
        return !text.isEmpty();
    }

    private static boolean isValue(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ((c < ' ' && c != '\t') || c == 127) {
                return false;
            }
        }
        return true;
    }

    public List<Field> fields() {
        return fields;
    }

    /// Lower-case name to its values in order.
    public Map<String, List<String>> byName() {
        Map<String, List<String>> known = byName;
        if (known == null) {
            Map<String, List<String>> index = LinkedHashMap.newLinkedHashMap(fields.size());
            for (Field field : fields) {
                index.computeIfAbsent(field.name(), _ -> new ArrayList<>(1)).add(field.value());
            }
            index.replaceAll((_, values) -> Collections.unmodifiableList(values));
            known = Collections.unmodifiableMap(index);
            byName = known;
        }
        return known;
    }

    /// The field's value as RFC 9110 defines it: several lines of one name joined with `, `. So a second line can
    /// neither hide behind the first nor be taken for it.
    public Optional<String> value(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        String first = null;
        StringBuilder more = null;
        for (Field field : fields) {
            if (!field.name().equals(lower)) {
                continue;
            }
            if (first == null) {
                first = field.value();
            } else {
                more = more == null ? new StringBuilder(first) : more;
                more.append(", ").append(field.value());
            }
        }
        return more == null ? Optional.ofNullable(first) : Optional.of(more.toString());
    }

    public Headers without(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        List<Field> left =
                fields.stream().filter(field -> !field.name().equals(lower)).toList();
        return left.size() == fields.size() ? this : of(left);
    }

    /// All lines of that name become this one, at the place of the first.
    public Headers with(String name, String value) {
        String lower = name.toLowerCase(Locale.ROOT);
        List<Field> changed = new ArrayList<>();
        boolean placed = false;
        for (Field field : fields) {
            if (!field.name().equals(lower)) {
                changed.add(field);
            } else if (!placed) {
                changed.add(new Field(lower, value));
                placed = true;
            }
        }
        if (!placed) {
            changed.add(new Field(lower, value));
        }
        return of(changed);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Headers headers && fields.equals(headers.fields);
    }

    @Override
    public int hashCode() {
        return fields.hashCode();
    }

    /// Names only: values may be secrets.
    @Override
    public String toString() {
        return "Headers" + byName().keySet();
    }
}
