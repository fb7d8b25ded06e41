package dev.capsem.wire.service;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Reads members of one JSON object. Absent and null are the same; a member of the wrong kind is refused, not
/// converted.
final class Fields {
    private final ObjectNode object;

    private Fields(ObjectNode object) {
        this.object = object;
    }

    static Fields of(JsonNode node) {
        if (node instanceof ObjectNode object) {
            return new Fields(object);
        }
        throw new WrongShapeException("expected a JSON object");
    }

    Optional<JsonNode> member(String name) {
        JsonNode value = object.get(name);
        return value == null || value.isNull() ? Optional.empty() : Optional.of(value);
    }

    Optional<String> optionalText(String name) {
        return member(name).map(value -> text(name, value));
    }

    String text(String name) {
        return optionalText(name).orElseThrow(() -> missing(name));
    }

    String text(String name, String otherwise) {
        return optionalText(name).orElse(otherwise);
    }

    Optional<Long> optionalInteger(String name) {
        return member(name).map(value -> {
            if (!value.isIntegralNumber() || !value.canConvertToLong()) {
                throw new WrongShapeException("\"" + name + "\" must be an integer");
            }
            return value.longValue();
        });
    }

    Optional<Integer> optionalInt(String name) {
        return optionalInteger(name).map(value -> {
            if (value != value.intValue()) {
                throw new WrongShapeException("\"" + name + "\" is out of range");
            }
            return value.intValue();
        });
    }

    long integer(String name, long otherwise) {
        return optionalInteger(name).orElse(otherwise);
    }

    int integer(String name) {
        return optionalInt(name).orElseThrow(() -> missing(name));
    }

    boolean flag(String name, boolean otherwise) {
        return member(name)
                .map(value -> {
                    if (!value.isBoolean()) {
                        throw new WrongShapeException("\"" + name + "\" must be true or false");
                    }
                    return value.booleanValue();
                })
                .orElse(otherwise);
    }

    List<String> texts(String name) {
        return list(name, value -> text(name, value));
    }

    <T> List<T> list(String name, Function<JsonNode, T> item) {
        List<T> items = new ArrayList<>();
        member(name).ifPresent(value -> {
            if (!value.isArray()) {
                throw new WrongShapeException("\"" + name + "\" must be an array");
            }
            value.forEach(element -> items.add(item.apply(element)));
        });
        return items;
    }

    Map<String, String> textMap(String name) {
        Map<String, String> map = new LinkedHashMap<>();
        entries(name).forEach((key, value) -> map.put(key, text(name + "." + key, value)));
        return map;
    }

    Map<String, JsonNode> entries(String name) {
        Map<String, JsonNode> map = new LinkedHashMap<>();
        member(name).ifPresent(value -> {
            if (!(value instanceof ObjectNode nested)) {
                throw new WrongShapeException("\"" + name + "\" must be an object");
            }
            nested.properties().forEach(entry -> map.put(entry.getKey(), entry.getValue()));
        });
        return map;
    }

    private static String text(String name, JsonNode value) {
        if (!value.isString()) {
            throw new WrongShapeException("\"" + name + "\" must be a string");
        }
        return value.stringValue();
    }

    private static WrongShapeException missing(String name) {
        return new WrongShapeException("\"" + name + "\" is missing");
    }
}
