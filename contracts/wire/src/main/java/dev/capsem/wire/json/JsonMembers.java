package dev.capsem.wire.json;

import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// Typed reading of one JSON object. A member that is absent or null counts as not given; unknown members are ignored.
/// Every complaint is a [JsonShapeException] that names the member by its path.
public final class JsonMembers {
    private final JsonNode object;
    private final String path;

    private JsonMembers(JsonNode object, String path) {
        this.object = object;
        this.path = path;
    }

    /// @param path what to call the object in complaints; empty for the document itself
    public static JsonMembers of(JsonNode node, String path) {
        if (!node.isObject()) {
            throw new JsonShapeException((path.isEmpty() ? "the document" : path) + " must be an object");
        }
        return new JsonMembers(node, path);
    }

    public boolean has(String name) {
        return member(name) != null;
    }

    public String text(String name) {
        return optionalText(name).orElseThrow(() -> missing(name, "a string"));
    }

    public Optional<String> optionalText(String name) {
        JsonNode value = member(name);
        if (value == null) {
            return Optional.empty();
        }
        if (!value.isString()) {
            throw expected(name, "a string");
        }
        return Optional.of(value.stringValue());
    }

    public long number(String name) {
        return optionalNumber(name).orElseThrow(() -> missing(name, "a whole number"));
    }

    public OptionalLong optionalNumber(String name) {
        JsonNode value = member(name);
        if (value == null) {
            return OptionalLong.empty();
        }
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw expected(name, "a whole number");
        }
        return OptionalLong.of(value.longValue());
    }

    public long number(String name, long absent) {
        return optionalNumber(name).orElse(absent);
    }

    public Optional<Integer> optionalInteger(String name) {
        return has(name) ? Optional.of(integer(name)) : Optional.empty();
    }

    public int integer(String name) {
        return toInt(name, number(name));
    }

    public int integer(String name, int absent) {
        OptionalLong value = optionalNumber(name);
        return value.isPresent() ? toInt(name, value.getAsLong()) : absent;
    }

    public boolean flag(String name) {
        return optionalFlag(name).orElseThrow(() -> missing(name, "true or false"));
    }

    public boolean flag(String name, boolean absent) {
        return optionalFlag(name).orElse(absent);
    }

    public Optional<Boolean> optionalFlag(String name) {
        JsonNode value = member(name);
        if (value == null) {
            return Optional.empty();
        }
        if (!value.isBoolean()) {
            throw expected(name, "true or false");
        }
        return Optional.of(value.booleanValue());
    }

    /// Bytes as base64.
    public byte[] bytes(String name) {
        try {
            return Base64.getDecoder().decode(text(name));
        } catch (IllegalArgumentException e) {
            throw expected(name, "base64");
        }
    }

    /// Empty when absent.
    public List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        for (JsonNode item : items(name)) {
            if (!item.isString()) {
                throw expected(name, "an array of strings");
            }
            texts.add(item.stringValue());
        }
        return texts;
    }

    /// Empty when absent.
    public List<JsonMembers> objects(String name) {
        List<JsonMembers> objects = new ArrayList<>();
        for (JsonNode item : items(name)) {
            objects.add(of(item, where(name) + "[" + objects.size() + "]"));
        }
        return objects;
    }

    /// In the document's order; empty when absent.
    public Map<String, String> textMap(String name) {
        Map<String, String> texts = new LinkedHashMap<>();
        JsonNode value = member(name);
        if (value == null) {
            return texts;
        }
        if (!value.isObject()) {
            throw expected(name, "an object of strings");
        }
        for (Map.Entry<String, JsonNode> entry : value.properties()) {
            if (!entry.getValue().isString()) {
                throw expected(name, "an object of strings");
            }
            texts.put(entry.getKey(), entry.getValue().stringValue());
        }
        return texts;
    }

    /// In the document's order; empty when absent.
    public Map<String, Long> numberMap(String name) {
        Map<String, Long> numbers = new LinkedHashMap<>();
        JsonNode value = member(name);
        if (value == null) {
            return numbers;
        }
        JsonMembers members = of(value, where(name));
        for (Map.Entry<String, JsonNode> entry : value.properties()) {
            numbers.put(entry.getKey(), members.number(entry.getKey()));
        }
        return numbers;
    }

    /// The member as it is, for a reader of its own.
    public Optional<JsonNode> node(String name) {
        return Optional.ofNullable(member(name));
    }

    public JsonMembers object(String name) {
        return optionalObject(name).orElseThrow(() -> missing(name, "an object"));
    }

    public Optional<JsonMembers> optionalObject(String name) {
        JsonNode value = member(name);
        return value == null ? Optional.empty() : Optional.of(of(value, where(name)));
    }

    /// A complaint about a member's value that only the caller can judge.
    public JsonShapeException expected(String name, String what) {
        return new JsonShapeException(where(name) + " must be " + what);
    }

    private Iterable<JsonNode> items(String name) {
        JsonNode value = member(name);
        if (value == null) {
            return List.of();
        }
        if (!value.isArray()) {
            throw expected(name, "an array");
        }
        return value.values();
    }

    private @Nullable JsonNode member(String name) {
        JsonNode value = object.get(name);
        return value == null || value.isNull() ? null : value;
    }

    private int toInt(String name, long value) {
        if (value < Integer.MIN_VALUE || value > Integer.MAX_VALUE) {
            throw expected(name, "a 32-bit number");
        }
        return (int) value;
    }

    private JsonShapeException missing(String name, String what) {
        return new JsonShapeException(where(name) + " is missing: it must be " + what);
    }

    private String where(String name) {
        return path.isEmpty() ? name : path + "." + name;
    }
}
