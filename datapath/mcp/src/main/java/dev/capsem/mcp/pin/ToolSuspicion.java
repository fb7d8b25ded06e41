package dev.capsem.mcp.pin;

import dev.capsem.wire.aggregator.CatalogEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import tools.jackson.databind.JsonNode;

/// Something about a tool's words that a person should know of.
public sealed interface ToolSuspicion {
    /// `server__tool`
    String key();

    /// Whether a person should look at the tool even if its server is new: what the others report is common among
    /// honest servers.
    default boolean holdsBack() {
        return switch (this) {
            case HiddenText _, Telling _, LooksLike _ -> true;
            case SameName _, SpeaksOf _ -> false;
        };
    }

    /// For people: what it is, and the words themselves.
    default String shown() {
        return switch (this) {
            case HiddenText hidden ->
                hidden.where() + " has hidden characters (" + String.join(", ", hidden.characters()) + ")";
            case SameName same -> "its name is that of " + same.other();
            case SpeaksOf speaks -> "it speaks of " + speaks.other();
            case LooksLike looks -> "its name looks like that of " + looks.other();
            case Telling telling -> telling.where() + " " + telling.meaning() + ": \"" + telling.words() + "\"";
        };
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

    /// Its name is written differently from that of another server's tool, and looks the same.
    record LooksLike(String key, String other) implements ToolSuspicion {}

    /// Words that a description has no use for.
    ///
    /// @param where path within the definition
    /// @param meaning what they are up to, such as `orders the model about`
    /// @param words what gives them away
    record Telling(String key, String where, String meaning, String words) implements ToolSuspicion {}

    static List<ToolSuspicion> in(List<CatalogEntry> catalog) {
        List<ToolSuspicion> found = new ArrayList<>();
        Map<String, CatalogEntry> byName = new HashMap<>();
        for (CatalogEntry entry : catalog) {
            eachText("", entry.definition(), (where, text) -> {
                hidden(entry.key(), where, text).ifPresent(found::add);
                telling(entry.key(), where, text, found);
            });
            CatalogEntry first = byName.putIfAbsent(PoisonPattern.look(entry.original()), entry);
            if (first != null && !first.server().equals(entry.server())) {
                found.add(
                        first.original().equals(entry.original())
                                ? new SameName(entry.key(), first.key())
                                : new LooksLike(entry.key(), first.key()));
            }
        }
        for (CatalogEntry entry : catalog) {
            StringBuilder words = new StringBuilder();
            eachText("", entry.definition(), (_, text) -> words.append(text).append('\n'));
            speaksOf(entry, words.toString(), catalog, found);
        }
        return found;
    }

    private static void speaksOf(
            CatalogEntry entry, String words, List<CatalogEntry> catalog, List<ToolSuspicion> found) {
        for (CatalogEntry other : catalog) {
            String name = other.original();
            boolean isTelling = name.length() >= 6 && (name.indexOf('_') > 0 || name.indexOf('-') > 0);
            boolean isOwn =
                    other.server().equals(entry.server()) || entry.original().contains(name);
            if (!isOwn && (words.contains(other.key()) || (isTelling && words.contains(name)))) {
                found.add(new SpeaksOf(entry.key(), other.key()));
            }
        }
    }

    private static void telling(String key, String where, String text, List<ToolSuspicion> found) {
        for (PoisonPattern ploy : PoisonPattern.values()) {
            ploy.in(text).ifPresent(words -> found.add(new Telling(key, where, ploy.meaning(), shown(words))));
        }
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

    private static void eachText(String path, JsonNode value, BiConsumer<String, String> seen) {
        if (value.isString()) {
            seen.accept(path, value.stringValue());
        } else if (value.isObject()) {
            value.properties().forEach(member -> {
                String below = path.isEmpty() ? member.getKey() : path + "." + member.getKey();
                seen.accept(below, member.getKey());
                eachText(below, member.getValue(), seen);
            });
        } else if (value.isArray()) {
            value.forEach(item -> eachText(path + "[]", item, seen));
        }
    }

    private static Optional<HiddenText> hidden(String key, String path, String text) {
        TreeSet<String> characters = new TreeSet<>();
        int previous = 0;
        for (int character : text.codePoints().toArray()) {
            if (isHidden(character, previous)) {
                characters.add(name(character));
            }
            previous = character;
        }
        return characters.isEmpty()
                ? Optional.empty()
                : Optional.of(new HiddenText(key, path, List.copyOf(characters)));
    }

    private static boolean isHidden(int character, int previous) {
        if (character == '\n' || character == '\r' || character == '\t') {
            return false;
        }
        // A joiner or selector behind an emoji makes another emoji; anywhere else it hides something. So do selectors
        // behind selectors: each carries half a byte.
        if (character == 0x200D) {
            return !Character.isEmoji(previous) && previous != 0xFE0F;
        }
        if (character >= 0xFE00 && character <= 0xFE0F) {
            return !Character.isEmoji(previous) || character < 0xFE0E;
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
