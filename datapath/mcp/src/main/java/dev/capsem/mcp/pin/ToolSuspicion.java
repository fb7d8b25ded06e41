package dev.capsem.mcp.pin;

import dev.capsem.wire.aggregator.CatalogEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/// Something about a tool's words that a person should know of.
public sealed interface ToolSuspicion {
    /// `server__tool`
    String key();

    /// Whether the model is shown something that a person does not see.
    default boolean isHiddenText() {
        return this instanceof HiddenText;
    }

    /// Characters that do not show, or that turn the order of the text around.
    ///
    /// @param where path within the definition
    /// @param characters such as `U+202E`
    record HiddenText(String key, String where, List<String> characters) implements ToolSuspicion {
        public HiddenText {
            characters = List.copyOf(characters);
        }
    }

    /// Another server has a tool of that name.
    record SameName(String key, String other) implements ToolSuspicion {}

    /// It speaks of another server's tool, as instructions that hijack it do.
    record SpeaksOf(String key, String other) implements ToolSuspicion {}

    static List<ToolSuspicion> in(List<CatalogEntry> catalog) {
        List<ToolSuspicion> found = new ArrayList<>();
        Map<String, CatalogEntry> byName = new HashMap<>();
        for (CatalogEntry entry : catalog) {
            hidden(entry.key(), "", entry.definition(), found);
            CatalogEntry first = byName.putIfAbsent(entry.original(), entry);
            if (first != null && !first.server().equals(entry.server())) {
                found.add(new SameName(entry.key(), first.key()));
            }
        }
        for (CatalogEntry entry : catalog) {
            String words = entry.definition().path("description").asString("");
            for (CatalogEntry other : catalog) {
                boolean isTelling =
                        other.original().length() >= 6 && other.original().indexOf('_') > 0;
                if (!other.server().equals(entry.server())
                        && (words.contains(other.key()) || (isTelling && words.contains(other.original())))) {
                    found.add(new SpeaksOf(entry.key(), other.key()));
                }
            }
        }
        return found;
    }

    /// The text with every such character spelled out, so that a person sees what a model would.
    static String shown(String text) {
        StringBuilder shown = new StringBuilder();
        int previous = 0;
        for (int character : text.codePoints().toArray()) {
            if (isHidden(character, previous)) {
                shown.append("⟨").append(name(character)).append("⟩");
            } else {
                shown.appendCodePoint(character);
            }
            previous = character;
        }
        return shown.toString();
    }

    private static void hidden(String key, String path, JsonNode value, List<ToolSuspicion> found) {
        if (value.isString()) {
            hiddenIn(key, path, value.stringValue(), found);
        } else if (value.isObject()) {
            value.properties().forEach(member -> {
                String below = path.isEmpty() ? member.getKey() : path + "." + member.getKey();
                hiddenIn(key, below, member.getKey(), found);
                hidden(key, below, member.getValue(), found);
            });
        } else if (value.isArray()) {
            value.forEach(item -> hidden(key, path + "[]", item, found));
        }
    }

    private static void hiddenIn(String key, String path, String text, List<ToolSuspicion> found) {
        TreeSet<String> characters = new TreeSet<>();
        int previous = 0;
        for (int character : text.codePoints().toArray()) {
            if (isHidden(character, previous)) {
                characters.add(name(character));
            }
            previous = character;
        }
        if (!characters.isEmpty()) {
            found.add(new HiddenText(key, path, List.copyOf(characters)));
        }
    }

    private static boolean isHidden(int character, int previous) {
        if (character == '\n' || character == '\r' || character == '\t') {
            return false;
        }
        // A joiner or selector behind an emoji makes another emoji; anywhere else it hides something.
        if (character == 0x200D || (character >= 0xFE00 && character <= 0xFE0F)) {
            return !Character.isEmoji(previous) && !(previous >= 0xFE00 && previous <= 0xFE0F);
        }
        return Character.isISOControl(character)
                || Character.getType(character) == Character.FORMAT
                || character == 0x115F
                || character == 0x1160
                || character == 0x3164
                || character == 0xFFA0
                || (character >= 0xE0000 && character <= 0xE0FFF);
    }

    private static String name(int character) {
        return String.format("U+%04X", character);
    }
}
