package dev.capsem.profiles.tree;

import dev.capsem.policy.json.Json;
import dev.capsem.policy.json.LineIndex;
import dev.capsem.profiles.vocabulary.Place;
import dev.capsem.profiles.vocabulary.Problems;
import dev.capsem.profiles.vocabulary.SourceText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseOptions;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/// A TOML text as a tree. The offset of a value is that of its key, of a table that of its header.
public final class TomlTree {
    private final SourceText source;
    private final Json.Members root;
    private final LineIndex lines;
    private final int[] lineStarts;
    private final NavigableSet<Integer> headers = new TreeSet<>();

    private TomlTree(SourceText source, TomlTable table) {
        this.source = source;
        this.lines = new LineIndex(source.text());
        this.lineStarts = lineStarts(source.text());
        this.root = members(table, 0);
    }

    /// Empty if the text is not TOML, which is then among the problems. Never throws.
    public static Optional<TomlTree> parse(SourceText source, Problems problems) {
        if (source.text().length() > SourceText.CHARS_MAX) {
            problems.error(
                    Place.start(source.file()), "the file is larger than " + SourceText.CHARS_MAX + " characters.");
            return Optional.empty();
        }
        try {
            TomlParseResult result = Toml.parse(source.text(), TomlParseOptions.sourceless());
            result.errors()
                    .forEach(error -> problems.error(
                            new Place(
                                    source.file(),
                                    error.position().line(),
                                    error.position().column()),
                            "not TOML: " + String.valueOf(error.getMessage()).replaceAll("\\s+", " ") + "."));
            return result.hasErrors() ? Optional.empty() : Optional.of(new TomlTree(source, result));
        } catch (RuntimeException unforeseen) {
            problems.error(
                    Place.start(source.file()),
                    "not TOML: " + unforeseen.getClass().getSimpleName() + ".");
            return Optional.empty();
        }
    }

    public Fields fields(Problems problems) {
        return new Fields(root, "", offset -> place(offset), problems);
    }

    public Place place(int offset) {
        if (offset < 0) {
            return Place.start(source.file());
        }
        var place = lines.placeOf(offset);
        return new Place(source.file(), place.line(), place.column());
    }

    /// Whether the table is written under its own `[header]`, so that it can be cut out by lines.
    public boolean hasHeader(Json.Members table) {
        return headers.contains(table.offset());
    }

    /// The lines of a table, from its header to the next one.
    ///
    /// Requires: the table has a header.
    public String lines(Json.Members table) {
        Integer next = headers.higher(table.offset());
        String slice = source.text()
                .substring(
                        lineStart(table.offset()), next == null ? source.text().length() : lineStart(next));
        return slice.stripTrailing() + "\n";
    }

    /// The text without the lines of these tables.
    ///
    /// Requires: each has a header.
    public String without(List<Json.Members> tables) {
        String text = source.text();
        StringBuilder kept = new StringBuilder();
        int from = 0;
        for (int offset :
                new TreeSet<>(tables.stream().map(Json.Members::offset).toList())) {
            Integer next = headers.higher(offset);
            kept.append(text, from, lineStart(offset));
            from = next == null ? text.length() : lineStart(next);
        }
        return kept.append(text.substring(from)).toString();
    }

    private int lineStart(int offset) {
        return source.text().lastIndexOf('\n', offset - 1) + 1;
    }

    private Json.Members members(TomlTable table, int offset) {
        if (offset < source.text().length() && source.text().charAt(offset) == '[') {
            headers.add(offset);
        }
        Map<String, Json> map = new LinkedHashMap<>();
        for (String key : table.keySet()) {
            List<String> path = List.of(key);
            map.put(key, value(table.get(path), offset(table.inputPositionOf(path))));
        }
        return new Json.Members(map, offset);
    }

    private Json value(@Nullable Object value, int offset) {
        return switch (value) {
            case TomlTable table -> members(table, offset);
            case TomlArray array -> items(array, offset);
            case String text -> new Json.Text(text, offset);
            case Boolean bool -> new Json.Bool(bool, offset);
            case Long number -> new Json.Numeral(Long.toString(number), offset);
            case null -> new Json.Null(offset);
            default -> new Json.Numeral(String.valueOf(value), offset);
        };
    }

    private Json.Items items(TomlArray array, int offset) {
        List<Json> list = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            list.add(value(array.get(i), offset(array.inputPositionOf(i))));
        }
        return new Json.Items(list, offset);
    }

    private int offset(@Nullable TomlPosition position) {
        if (position == null || position.line() > lineStarts.length) {
            return 0;
        }
        return Math.min(source.text().length(), lineStarts[position.line() - 1] + position.column() - 1);
    }

    private static int[] lineStarts(String text) {
        List<Integer> starts = new ArrayList<>(List.of(0));
        for (int at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
            starts.add(at + 1);
        }
        return starts.stream().mapToInt(Integer::intValue).toArray();
    }
}
