package dev.capsem.profiles.tree;

import dev.capsem.policy.json.Json;
import dev.capsem.profiles.vocabulary.Place;
import dev.capsem.profiles.vocabulary.Problems;
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
    private final Json.Members members;
    private final String path;
    private final IntFunction<Place> places;
    private final Problems problems;

    public Fields(Json.Members members, String path, IntFunction<Place> places, Problems problems) {
        this.members = members;
        this.path = path;
        this.places = places;
        this.problems = problems;
    }

    public Json.Members members() {
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
        Optional<Json> value = members.get(key);
        if (value.isPresent() && !(value.get() instanceof Json.Text)) {
            error(key, named(key) + " is a text in quotes.");
        }
        return value.filter(Json.Text.class::isInstance).map(json -> ((Json.Text) json).value());
    }

    public Optional<Boolean> flag(String key) {
        Optional<Json> value = members.get(key);
        if (value.isPresent() && !(value.get() instanceof Json.Bool)) {
            error(key, named(key) + " is true or false.");
        }
        return value.filter(Json.Bool.class::isInstance).map(json -> ((Json.Bool) json).value());
    }

    public OptionalLong integer(String key) {
        Optional<Json> value = members.get(key);
        if (value.isEmpty()) {
            return OptionalLong.empty();
        }
        if (value.get() instanceof Json.Numeral number && number.spelling().matches("-?[0-9]{1,18}")) {
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
        Optional<Json> value = members.get(key);
        if (value.isEmpty()) {
            return List.of();
        }
        List<String> texts = new ArrayList<>();
        boolean valid = value.get() instanceof Json.Items;
        if (value.get() instanceof Json.Items items) {
            for (Json item : items.list()) {
                valid &= item instanceof Json.Text;
                if (item instanceof Json.Text text) {
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
        Optional<Json> value = members.get(key);
        if (value.isPresent() && !(value.get() instanceof Json.Members)) {
            error(key, named(key) + " is a table.");
        }
        return value.filter(Json.Members.class::isInstance).map(json -> below(key, (Json.Members) json));
    }

    public List<Fields> tables(String key) {
        Optional<Json> value = members.get(key);
        if (value.isEmpty()) {
            return List.of();
        }
        List<Fields> tables = new ArrayList<>();
        boolean valid = value.get() instanceof Json.Items;
        if (value.get() instanceof Json.Items items) {
            for (Json item : items.list()) {
                valid &= item instanceof Json.Members;
                if (item instanceof Json.Members table) {
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
                error(key, "unknown key " + named(key) + "." + Suggestion.didYouMean(key, new TreeSet<>(known)));
            }
        }
    }

    private Fields below(String key, Json.Members table) {
        return new Fields(table, named(key), places, problems);
    }

    private String named(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }
}
