package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// The shared parts of this package's JSON codecs.
final class ServiceJson {
    private ServiceJson() {}

    static ArrayNode strings(Iterable<String> texts) {
        ArrayNode array = Json.array();
        texts.forEach(array::add);
        return array;
    }

    static <T> ArrayNode array(Iterable<T> items, Function<T, ? extends JsonNode> codec) {
        ArrayNode array = Json.array();
        items.forEach(item -> array.add(codec.apply(item)));
        return array;
    }

    static ObjectNode textMap(Map<String, String> map) {
        ObjectNode object = Json.object();
        map.forEach(object::put);
        return object;
    }

    static Optional<Long> boxed(OptionalLong number) {
        return number.isPresent() ? Optional.of(number.getAsLong()) : Optional.empty();
    }
}
