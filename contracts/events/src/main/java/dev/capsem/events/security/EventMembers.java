package dev.capsem.events.security;

import dev.capsem.events.vocabulary.WireNamed;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Reads and writes members of an event's JSON form. A member of another type than asked for is an
/// [IllegalArgumentException] that names the member, never its value.
final class EventMembers {
    private EventMembers() {}

    static void put(ObjectNode out, String name, Optional<String> value) {
        value.ifPresent(text -> out.put(name, text));
    }

    static Optional<String> text(JsonNode json, String name) {
        JsonNode node = json.path(name);
        if (node.isMissingNode() || node.isNull()) {
            return Optional.empty();
        }
        if (!node.isString()) {
            throw new IllegalArgumentException(name + " is not a string");
        }
        return Optional.of(node.stringValue());
    }

    static String required(JsonNode json, String name) {
        return text(json, name).orElseThrow(() -> new IllegalArgumentException(name + " is missing"));
    }

    static boolean flag(JsonNode json, String name) {
        JsonNode node = json.path(name);
        if (!node.isMissingNode() && !node.isBoolean()) {
            throw new IllegalArgumentException(name + " is not true or false");
        }
        return node.asBoolean(false);
    }

    static int number(JsonNode json, String name, int otherwise) {
        long number = optionalNumber(json, name).orElse(otherwise);
        if (number != (int) number) {
            throw new IllegalArgumentException(name + " is too large");
        }
        return (int) number;
    }

    static OptionalLong optionalNumber(JsonNode json, String name) {
        JsonNode node = json.path(name);
        if (node.isMissingNode() || node.isNull()) {
            return OptionalLong.empty();
        }
        if (!node.isIntegralNumber() || !node.canConvertToLong()) {
            throw new IllegalArgumentException(name + " is not a whole number");
        }
        return OptionalLong.of(node.longValue());
    }

    static List<String> strings(JsonNode json, String name) {
        List<String> out = new ArrayList<>();
        for (JsonNode element : json) {
            if (!element.isString()) {
                throw new IllegalArgumentException(name + " holds something that is not a string");
            }
            out.add(element.stringValue());
        }
        return out;
    }

    static <E extends Enum<E> & WireNamed> E named(Class<E> names, JsonNode json, String name, E otherwise) {
        return text(json, name)
                .map(text -> WireNamed.parse(names, text)
                        .orElseThrow(() -> new IllegalArgumentException(name + " is unknown")))
                .orElse(otherwise);
    }
}
