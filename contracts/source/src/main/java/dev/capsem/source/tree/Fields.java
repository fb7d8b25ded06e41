package dev.capsem.source.tree;

import dev.capsem.source.Place;
import dev.capsem.source.Problems;
import dev.capsem.source.Suggestion;
import dev.capsem.source.json.JsonValue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;

/// The members of one table while they are read. What has the wrong type is reported and reads as absent.
public final class Fields {
    private final JsonValue.Members members;
    private final String path;
    private final IntFunction<Place> places;
    private final Problems problems;

    public Fields(JsonValue.Members members, String path, IntFunction<Place> places, Problems problems) {
        this.members = members;
        this.path = path;
        this.places = places;
        this.problems = problems;
    }

    public JsonValue.Members members() {
        return members;
    }

    public Set<String> keys() {
        return members.map().keySet();
    }

    public boolean has(String key) {
        return members.get(key).isPresent();
    }

    public Place place() {
        return places.apply(members.offset());
    }

    public Place place(String key) {
        return members.get(key).map(value -> places.apply(value.offset())).orElseGet(this::place);
    }

    public void error(String key, String message) {
        problems.error(place(key), message);
    }

    public void warning(String key, String message) {
        problems.warning(place(key), message);
    }

    public Problems problems() {
        return problems;
    }

    public Optional<String> text(String key) {
        Optional<JsonValue> value = members.get(key);
        if (value.isPresent() && !(value.get() instanceof JsonValue.Text)) {
            error(key, named(key) + " is a text in quotes.");
        }
        return value.filter(JsonValue.Text.class::isInstance).map(json -> ((JsonValue.Text) json).value());
    }

    public Optional<Boolean> flag(String key) {
        Optional<JsonValue> value = members.get(key);
        if (value.isPresent() && !(value.get() instanceof JsonValue.Bool)) {
            error(key, named(key) + " is true or false.");
        }
        return value.filter(JsonValue.Bool.class::isInstance).map(json -> ((JsonValue.Bool) json).value());
    }

    public OptionalLong integer(String key) {
        Optional<JsonValue> value = members.get(key);
        if (value.isEmpty()) {
            return OptionalLong.empty();
        }
        if (value.get() instanceof JsonValue.Numeral number && number.spelling().matches("-?[0-9]{1,18}")) {
            return OptionalLong.of(Long.parseLong(number.spelling()));
        }
        error(key, named(key) + " is a whole number.");
        return OptionalLong.empty();
    }

    public OptionalLong integer(String key, long min, long max) {
        OptionalLong value = integer(key);
        if (value.isPresent() && (value.getAsLong() < min || value.getAsLong() > max)) {
            error(key, named(key) + " is from " + min + " to " + max + ".");
            return OptionalLong.empty();
        }
        return value;
    }

    public List<String> texts(String key) {
        Optional<JsonValue> value = members.get(key);
        if (value.isEmpty()) {
            return List.of();
        }
        List<String> texts = new ArrayList<>();
        boolean valid = value.get() instanceof JsonValue.Items;
        if (value.get() instanceof JsonValue.Items items) {
            for (JsonValue item : items.list()) {
                valid &= item instanceof JsonValue.Text;
                if (item instanceof JsonValue.Text text) {
                    texts.add(text.value());
                }
            }
        }
        if (!valid) {
            error(key, named(key) + " is a list of texts.");
            return List.of();
        }
        return texts;
    }

    public Map<String, String> textMap(String key) {
        Map<String, String> texts = new LinkedHashMap<>();
        table(key)
                .ifPresent(table ->
                        table.keys().forEach(name -> table.text(name).ifPresent(text -> texts.put(name, text))));
        return texts;
    }

    public Optional<Fields> table(String key) {
        Optional<JsonValue> value = members.get(key);
        if (value.isPresent() && !(value.get() instanceof JsonValue.Members)) {
            error(key, named(key) + " is a table.");
        }
        return value.filter(JsonValue.Members.class::isInstance).map(json -> below(key, (JsonValue.Members) json));
    }

    public List<Fields> tables(String key) {
        Optional<JsonValue> value = members.get(key);
        if (value.isEmpty()) {
            return List.of();
        }
        List<Fields> tables = new ArrayList<>();
        boolean valid = value.get() instanceof JsonValue.Items;
        if (value.get() instanceof JsonValue.Items items) {
            for (JsonValue item : items.list()) {
                valid &= item instanceof JsonValue.Members;
                if (item instanceof JsonValue.Members table) {
                    tables.add(below(key, table));
                }
            }
        }
        if (!valid) {
            error(key, "write each of " + key + " as [[" + key + "]].");
            return List.of();
        }
        return tables;
    }

    public void refuseUnknown(Collection<String> known) {
        for (String key : keys()) {
            if (!known.contains(key)) {
                error(key, "unknown key " + named(key) + "." + Suggestion.didYouMeanOneOf(key, new TreeSet<>(known)));
            }
        }
    }

    private Fields below(String key, JsonValue.Members table) {
        return new Fields(table, named(key), places, problems);
    }

    private String named(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }
}
