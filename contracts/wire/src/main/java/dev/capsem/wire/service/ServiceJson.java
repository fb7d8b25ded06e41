package dev.capsem.wire.service;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Bytes ↔ JSON trees for this API. Trees only: nothing is bound by reflection.
public final class ServiceJson {
    private static final JsonMapper MAPPER = JsonMapper.shared();

    private ServiceJson() {}

    /// Empty when the bytes are not one JSON document.
    public static Optional<JsonNode> parse(byte[] bytes) {
        try {
            JsonNode node = MAPPER.readTree(bytes);
            return node.isMissingNode() ? Optional.empty() : Optional.of(node);
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    public static byte[] write(JsonNode node) {
        return MAPPER.writeValueAsBytes(node);
    }

    public static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    static ArrayNode strings(Iterable<String> texts) {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        texts.forEach(array::add);
        return array;
    }

    static <T> ArrayNode array(Iterable<T> items, Function<T, ? extends JsonNode> codec) {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        items.forEach(item -> array.add(codec.apply(item)));
        return array;
    }

    static ObjectNode textMap(Map<String, String> map) {
        ObjectNode object = object();
        map.forEach(object::put);
        return object;
    }
}
