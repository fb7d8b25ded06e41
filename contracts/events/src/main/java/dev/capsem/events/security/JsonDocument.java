package dev.capsem.events.security;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// A JSON value that cannot change: maps, lists, `String`, `Long`, `Double`, `Boolean` and [JsonNull]. A whole
/// number that fits is a `Long`, any other number a `Double`.
public final class JsonDocument {
    /// Deep enough for any tool, shallow enough to walk by recursion.
    static final int DEPTH_MAX = 200;

    /// Twice the same key is refused: two readers might pick different ones, and a rule would judge the wrong one.
    private static final JsonMapper STRICT = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEPTH_MAX)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final JsonFactory LENIENT = JsonFactory.builder().build();

    private final Object root;
    private final String text;

    private JsonDocument(Object root) {
        this.root = root;
        StringBuilder out = new StringBuilder();
        write(root, out);
        this.text = out.toString();
    }

    /// Empty if the text is not exactly one JSON value, is nested too deeply, or repeats a key.
    public static Optional<JsonDocument> parse(String text) {
        try {
            JsonNode node = STRICT.readTree(text);
            return node == null || node.isMissingNode() ? Optional.empty() : Optional.of(of(node));
        } catch (JacksonException malformed) {
            return Optional.empty();
        }
    }

    /// Whether an object in the text has a key twice. False for what is not JSON, up to where it is not.
    public static boolean repeatsKey(byte[] json) {
        Deque<Set<String>> open = new ArrayDeque<>();
        try (JsonParser parser = LENIENT.createParser(ObjectReadContext.empty(), json)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                switch (token) {
                    case START_OBJECT -> open.push(new HashSet<>());
                    case END_OBJECT -> open.pop();
                    case PROPERTY_NAME -> {
                        if (!open.element().add(parser.currentName())) {
                            return true;
                        }
                    }
                    default -> {}
                }
            }
            return false;
        } catch (JacksonException malformed) {
            return false;
        }
    }

    public static JsonDocument of(JsonNode node) {
        return new JsonDocument(copy(node, 0));
    }

    /// Requires: maps with text keys, lists, and the leaf types named above; integers of other widths are taken
    /// as well.
    public static JsonDocument of(Object value) {
        return new JsonDocument(copy(value, 0));
    }

    public Object root() {
        return root;
    }

    /// The compact JSON text of this value, with nothing escaped that need not be: the same value has the same
    /// text, however it was spelled on the wire.
    public String text() {
        return text;
    }

    private static Object copy(JsonNode node, int depth) {
        checkDepth(depth);
        if (node.isObject()) {
            Map<String, Object> map = new LinkedHashMap<>();
            for (Map.Entry<String, JsonNode> member : node.properties()) {
                map.put(member.getKey(), copy(member.getValue(), depth + 1));
            }
            return Collections.unmodifiableMap(map);
        }
        if (node.isArray()) {
            List<Object> list = new ArrayList<>();
            for (JsonNode element : node) {
                list.add(copy(element, depth + 1));
            }
            return Collections.unmodifiableList(list);
        }
        if (node.isString()) {
            return node.stringValue();
        }
        if (node.isBoolean()) {
            return node.booleanValue();
        }
        if (node.isIntegralNumber() && node.canConvertToLong()) {
            return node.longValue();
        }
        return node.isNumber() ? Double.valueOf(node.numberValue().doubleValue()) : JsonNull.NULL;
    }

    private static Object copy(Object value, int depth) {
        checkDepth(depth);
        return switch (value) {
            case Map<?, ?> map -> {
                Map<String, Object> copy = new LinkedHashMap<>();
                map.forEach((key, member) -> copy.put((String) key, copy(member, depth + 1)));
                yield Collections.unmodifiableMap(copy);
            }
            case List<?> list -> {
                List<Object> copy = new ArrayList<>();
                list.forEach(element -> copy.add(copy(element, depth + 1)));
                yield Collections.unmodifiableList(copy);
            }
            case String text -> text;
            case Boolean truth -> truth;
            case Long number -> number;
            case Integer number -> Long.valueOf(number);
            case Double number -> number;
            case JsonNull nothing -> nothing;
            default ->
                throw new IllegalArgumentException(
                        "not a JSON value: " + value.getClass().getSimpleName());
        };
    }

    private static void checkDepth(int depth) {
        if (depth > DEPTH_MAX) {
            throw new IllegalArgumentException("JSON is nested more than " + DEPTH_MAX + " deep");
        }
    }

    private static void write(Object value, StringBuilder out) {
        switch (value) {
            case Map<?, ?> map -> {
                char before = '{';
                for (Map.Entry<?, ?> member : map.entrySet()) {
                    out.append(before);
                    quote((String) member.getKey(), out);
                    out.append(':');
                    write(member.getValue(), out);
                    before = ',';
                }
                out.append(before == '{' ? "{}" : "}");
            }
            case List<?> list -> {
                char before = '[';
                for (Object element : list) {
                    out.append(before);
                    write(element, out);
                    before = ',';
                }
                out.append(before == '[' ? "[]" : "]");
            }
            case String text -> quote(text, out);
            default -> out.append(value);
        }
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < ' ') {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof JsonDocument document && root.equals(document.root);
    }

    @Override
    public int hashCode() {
        return root.hashCode();
    }

    /// Says nothing of the content, which may hold secrets.
    @Override
    public String toString() {
        return "JsonDocument[" + text.length() + " characters]";
    }
}
