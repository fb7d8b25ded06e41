package dev.capsem.security.rule;

import dev.capsem.source.Place;
import dev.capsem.source.Problems;
import dev.capsem.source.Suggestion;
import dev.capsem.source.tree.TomlText;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/// Reads keys of a source's tables. What has the wrong type is reported and reads as absent.
final class TableReader {
    private final TomlText text;
    private final Problems problems;

    TableReader(TomlText text, Problems problems) {
        this.text = text;
        this.problems = problems;
    }

    /// How many there are so far.
    int problems() {
        return problems.count();
    }

    Optional<String> string(TomlTable table, String key) {
        Object value = table.get(List.of(key));
        if (value == null) {
            return Optional.empty();
        }
        if (value instanceof String string && !string.isBlank()) {
            return Optional.of(string);
        }
        boolean mayBeEmpty = key.equals("rewrite_value") && value instanceof String;
        if (mayBeEmpty) {
            return Optional.of((String) value);
        }
        error(value(table, key), key + " is a text in quotes" + (value instanceof String ? ", and not empty." : "."));
        return Optional.empty();
    }

    @Nullable
    TomlTable table(TomlTable parent, String key) {
        Object value = parent.get(List.of(key));
        if (value == null || value instanceof TomlTable) {
            return (TomlTable) value;
        }
        error(place(parent, key), key + " is a table.");
        return null;
    }

    void unknownKeys(TomlTable table, Set<String> known, String what) {
        for (String key : table.keySet()) {
            if (!known.contains(key)) {
                error(
                        place(table, key),
                        "unknown " + what + key + "." + Suggestion.didYouMean(key, new TreeSet<>(known)));
            }
        }
    }

    TomlPosition position(TomlTable table, String key) {
        TomlPosition position = table.inputPositionOf(List.of(key));
        return position == null ? TomlPosition.positionAt(1, 1) : position;
    }

    Place place(TomlTable table, String key) {
        return text.place(position(table, key));
    }

    Place value(TomlTable table, String key) {
        return text.inString(position(table, key), 0);
    }

    void error(Place place, String message) {
        problems.error(place, message);
    }
}
