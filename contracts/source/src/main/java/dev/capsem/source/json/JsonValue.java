package dev.capsem.source.json;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// A JSON value. `offset` is the UTF-16 offset in the text it was read from, or [#BUILT] for values made in code.
public sealed interface JsonValue {
    int BUILT = -1;

    int offset();

    /// An object; members keep their source order.
    record Members(Map<String, JsonValue> map, int offset) implements JsonValue {
        public Members {
            map = Collections.unmodifiableMap(new LinkedHashMap<>(map));
        }

        public Optional<JsonValue> get(String name) {
            return Optional.ofNullable(map.get(name));
        }
    }

    record Items(List<JsonValue> list, int offset) implements JsonValue {
        public Items {
            list = List.copyOf(list);
        }
    }

    record Text(String value, int offset) implements JsonValue {}

    /// A number as it was spelled; the compiler itself never computes with one.
    record Numeral(String spelling, int offset) implements JsonValue {}

    record Bool(boolean value, int offset) implements JsonValue {}

    record Null(int offset) implements JsonValue {}

    static Text of(String value) {
        return new Text(value, BUILT);
    }

    static Numeral of(long value) {
        return new Numeral(Long.toString(value), BUILT);
    }

    static Bool of(boolean value) {
        return new Bool(value, BUILT);
    }

    static Null none() {
        return new Null(BUILT);
    }

    static Items texts(Collection<String> values) {
        return items(values, JsonValue::of);
    }

    static <T> Items items(Collection<T> values, Function<? super T, ? extends JsonValue> toJson) {
        List<JsonValue> list = new ArrayList<>(values.size());
        for (T value : values) {
            list.add(toJson.apply(value));
        }
        return new Items(list, BUILT);
    }

    static Builder members() {
        return new Builder();
    }

    /// Collects members in the order they are put.
    final class Builder {
        private final Map<String, JsonValue> map = new LinkedHashMap<>();

        private Builder() {}

        public Builder put(String name, JsonValue value) {
            map.put(name, value);
            return this;
        }

        public Builder put(String name, String value) {
            return put(name, of(value));
        }

        public Builder put(String name, boolean value) {
            return put(name, of(value));
        }

        public Builder put(String name, long value) {
            return put(name, of(value));
        }

        public Builder put(String name, Builder value) {
            return put(name, value.build());
        }

        public Builder put(String name, Collection<String> values) {
            return put(name, texts(values));
        }

        public Builder putAll(Members other) {
            map.putAll(other.map());
            return this;
        }

        public Members build() {
            return new Members(map, BUILT);
        }
    }
}
