package dev.capsem.backends.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Header lines in their order. Cannot change.
public record HttpFields(List<Field> fields) {
    public static final HttpFields NONE = new HttpFields(List.of());

    public record Field(String name, String value) {
        /// Values may be secret.
        @Override
        public String toString() {
            return name + ": ***";
        }
    }

    public HttpFields {
        fields = List.copyOf(fields);
    }

    public HttpFields with(String name, String value) {
        if (!isName(name) || value.chars().anyMatch(c -> (c < ' ' && c != '\t') || c == 127)) {
            throw new IllegalArgumentException("not a header");
        }
        List<Field> more = new ArrayList<>(fields);
        more.add(new Field(name, value));
        return new HttpFields(more);
    }

    /// The first of that name.
    public Optional<String> first(String name) {
        return fields.stream()
                .filter(field -> field.name().equalsIgnoreCase(name))
                .map(Field::value)
                .findFirst();
    }

    /// Without parameters, in lower case; empty if there is none.
    public String mediaType() {
        return first("content-type")
                .map(value -> value.split(";", 2)[0].strip().toLowerCase(Locale.ROOT))
                .orElse("");
    }

    public static boolean isName(String name) {
        return !name.isEmpty()
                && name.chars()
                        .allMatch(c -> (c >= '0' && c <= '9')
                                || (c >= 'a' && c <= 'z')
                                || (c >= 'A' && c <= 'Z')
                                || "!#$%&'*+-.^_`|~".indexOf(c) >= 0);
    }
}
