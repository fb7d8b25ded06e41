package dev.capsem.events.security;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// The fields of an HTTP message in the order sent. Names compare without regard to case and are kept in
/// lower case.
public final class Headers {
    public static final Headers NONE = new Headers(List.of());

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
    private final Map<String, List<String>> byName;

    private Headers(List<Field> fields) {
        this.fields = List.copyOf(fields);
        Map<String, List<String>> index = LinkedHashMap.newLinkedHashMap(fields.size());
        for (Field field : this.fields) {
            index.computeIfAbsent(field.name(), _ -> new ArrayList<>(1)).add(field.value());
        }
        index.replaceAll((_, values) -> Collections.unmodifiableList(values));
        this.byName = Collections.unmodifiableMap(index);
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
            boolean token = c > ' ' && c < 127 && "\"(),/:;<=>?@[\\]{}".indexOf(c) < 0;
            if (!token) {
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
        return byName;
    }

    /// The field's value as RFC 9110 defines it: several lines of one name joined with `, `. So a second line can
    /// neither hide behind the first nor be taken for it.
    public Optional<String> value(String name) {
        List<String> values = byName.get(name.toLowerCase(Locale.ROOT));
        return values == null
                ? Optional.empty()
                : Optional.of(values.size() == 1 ? values.get(0) : String.join(", ", values));
    }

    public Headers without(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return byName.containsKey(lower)
                ? of(fields.stream()
                        .filter(field -> !field.name().equals(lower))
                        .toList())
                : this;
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
        return "Headers" + byName.keySet();
    }
}
