package dev.capsem.source.tree;

import dev.capsem.source.LineIndex;
import dev.capsem.source.Place;
import dev.capsem.source.Position;
import dev.capsem.source.Problems;
import dev.capsem.source.SourceText;
import dev.capsem.source.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlArray;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/// A TOML text as a tree. The offset of a value is that of its key, of a table that of its header.
public final class TomlTree {
    /// The largest file we read; far beyond any profile that a person could keep in mind.
    private static final int CHARS_MAX = 1024 * 1024;

    private final SourceText source;
    private final JsonValue.Members root;
    private final LineIndex lines;
    private final NavigableSet<Integer> headers = new TreeSet<>();

    private TomlTree(SourceText source, TomlTable table) {
        this.source = source;
        this.lines = new LineIndex(source.text());
        this.root = members(table, 0);
    }

    /// Empty if the text is not TOML, which is then among the problems. Never throws.
    public static Optional<TomlTree> parse(SourceText source, Problems problems) {
        return new TomlText(source).parse(CHARS_MAX, problems).map(table -> new TomlTree(source, table));
    }

    public Fields fields(Problems problems) {
        return new Fields(root, "", offset -> place(offset), problems);
    }

    public Place place(int offset) {
        if (offset < 0) {
            return Place.start(source.file());
        }
        return Place.at(source.file(), lines.position(offset));
    }

    /// Whether the table is written under its own `[header]`, so that it can be cut out by lines.
    public boolean hasHeader(JsonValue.Members table) {
        return headers.contains(table.offset());
    }

    /// The lines of a table, from its header to the next one.
    ///
    /// Requires: the table has a header.
    public String lines(JsonValue.Members table) {
        Integer next = headers.higher(table.offset());
        String slice = source.text()
                .substring(
                        lineStart(table.offset()), next == null ? source.text().length() : lineStart(next));
        return slice.stripTrailing() + "\n";
    }

    /// The text without the lines of these tables.
    ///
    /// Requires: each has a header.
    public String without(List<JsonValue.Members> tables) {
        String text = source.text();
        StringBuilder kept = new StringBuilder();
        int from = 0;
        for (int offset :
                new TreeSet<>(tables.stream().map(JsonValue.Members::offset).toList())) {
            Integer next = headers.higher(offset);
            kept.append(text, from, lineStart(offset));
            from = next == null ? text.length() : lineStart(next);
        }
        return kept.append(text.substring(from)).toString();
    }

    private int lineStart(int offset) {
        return source.text().lastIndexOf('\n', offset - 1) + 1;
    }

    private JsonValue.Members members(TomlTable table, int offset) {
        if (offset < source.text().length() && source.text().charAt(offset) == '[') {
            headers.add(offset);
        }
        Map<String, JsonValue> map = new LinkedHashMap<>();
        for (String key : table.keySet()) {
            List<String> path = List.of(key);
            map.put(key, value(table.get(path), offset(table.inputPositionOf(path))));
        }
        return new JsonValue.Members(map, offset);
    }

    private JsonValue value(@Nullable Object value, int offset) {
        return switch (value) {
            case TomlTable table -> members(table, offset);
            case TomlArray array -> items(array, offset);
            case String text -> new JsonValue.Text(text, offset);
            case Boolean bool -> new JsonValue.Bool(bool, offset);
            case Long number -> new JsonValue.Numeral(Long.toString(number), offset);
            case null -> new JsonValue.Null(offset);
            default -> new JsonValue.Numeral(String.valueOf(value), offset);
        };
    }

    private JsonValue.Items items(TomlArray array, int offset) {
        List<JsonValue> list = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            list.add(value(array.get(i), offset(array.inputPositionOf(i))));
        }
        return new JsonValue.Items(list, offset);
    }

    private int offset(@Nullable TomlPosition position) {
        return position == null ? 0 : lines.offset(new Position(position.line(), position.column()));
    }
}
