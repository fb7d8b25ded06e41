package dev.capsem.toolserver;

import dev.capsem.wire.json.Json;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// One argument of a tool.
///
/// @param description what a model needs to know to fill it in
public record Argument(String name, Kind kind, String description, boolean isRequired) {
    public static Argument required(String name, Kind kind, String description) {
        return new Argument(name, kind, description, true);
    }

    public static Argument optional(String name, Kind kind, String description) {
        return new Argument(name, kind, description, false);
    }

    ObjectNode toJson() {
        ObjectNode json = Json.object();
        kind.describe(json);
        return json.put("description", description);
    }

    /// The values that an argument takes.
    public sealed interface Kind {
        void describe(ObjectNode schema);

        /// The problem with the value, as the end of a sentence about it.
        Optional<String> complaint(JsonNode value);
    }

    /// @param lengthMax in UTF-16 units
    /// @param pattern of the whole text
    public record Text(int lengthMin, int lengthMax, Optional<Pattern> pattern) implements Kind {
        public static Text of(int lengthMin, int lengthMax) {
            return new Text(lengthMin, lengthMax, Optional.empty());
        }

        public static Text matching(int lengthMax, String pattern) {
            return new Text(1, lengthMax, Optional.of(Pattern.compile(pattern)));
        }

        @Override
        public void describe(ObjectNode schema) {
            schema.put("type", "string");
            if (lengthMin > 0) {
                schema.put("minLength", lengthMin);
            }
            schema.put("maxLength", lengthMax);
            pattern.ifPresent(value -> schema.put("pattern", "^" + value + "$"));
        }

        @Override
        public Optional<String> complaint(JsonNode value) {
            if (!value.isString()) {
                return Optional.of("must be a string");
            }
            String text = value.stringValue();
            if (text.length() < lengthMin) {
                return Optional.of(lengthMin == 1 ? "must not be empty" : "is shorter than " + lengthMin);
            }
            if (text.length() > lengthMax) {
                return Optional.of("is longer than " + lengthMax + " characters");
            }
            return pattern.filter(wanted -> !wanted.matcher(text).matches())
                    .map(wanted -> "does not match " + wanted.pattern());
        }
    }

    public record Choice(List<String> values) implements Kind {
        public Choice {
            values = List.copyOf(values);
        }

        public static Choice of(String... values) {
            return new Choice(List.of(values));
        }

        @Override
        public void describe(ObjectNode schema) {
            ArrayNode allowed = schema.put("type", "string").putArray("enum");
            values.forEach(allowed::add);
        }

        @Override
        public Optional<String> complaint(JsonNode value) {
            return value.isString() && values.contains(value.stringValue())
                    ? Optional.empty()
                    : Optional.of("must be one of " + String.join(", ", values));
        }
    }

    public record Whole(long min, long max, Optional<Long> standard) implements Kind {
        public static Whole between(long min, long max) {
            return new Whole(min, max, Optional.empty());
        }

        public Whole orElse(long value) {
            return new Whole(min, max, Optional.of(value));
        }

        @Override
        public void describe(ObjectNode schema) {
            schema.put("type", "integer").put("minimum", min).put("maximum", max);
            standard.ifPresent(value -> schema.put("default", (long) value));
        }

        @Override
        public Optional<String> complaint(JsonNode value) {
            if (!value.isIntegralNumber() || !value.canConvertToLong()) {
                return Optional.of("must be a whole number");
            }
            long number = value.longValue();
            return number < min || number > max
                    ? Optional.of("must be between " + min + " and " + max)
                    : Optional.empty();
        }
    }

    public record Flag(boolean standard) implements Kind {
        @Override
        public void describe(ObjectNode schema) {
            schema.put("type", "boolean").put("default", standard);
        }

        @Override
        public Optional<String> complaint(JsonNode value) {
            return value.isBoolean() ? Optional.empty() : Optional.of("must be true or false");
        }
    }

    /// @param allowed what each item may be; none for any text
    public record Texts(int itemsMax, List<String> allowed) implements Kind {
        public Texts {
            allowed = List.copyOf(allowed);
        }

        public static Texts upTo(int itemsMax) {
            return new Texts(itemsMax, List.of());
        }

        @Override
        public void describe(ObjectNode schema) {
            schema.put("type", "array").put("maxItems", itemsMax);
            ObjectNode items = schema.putObject("items").put("type", "string");
            if (!allowed.isEmpty()) {
                ArrayNode values = items.putArray("enum");
                allowed.forEach(values::add);
            }
        }

        @Override
        public Optional<String> complaint(JsonNode value) {
            if (!value.isArray()) {
                return Optional.of("must be an array of strings");
            }
            if (value.size() > itemsMax) {
                return Optional.of("has more than " + itemsMax + " items");
            }
            for (JsonNode item : value.values()) {
                if (!item.isString()) {
                    return Optional.of("must be an array of strings");
                }
                if (!allowed.isEmpty() && !allowed.contains(item.stringValue())) {
                    return Optional.of("takes only " + String.join(", ", allowed));
                }
            }
            return Optional.empty();
        }
    }

    public record TextMap(int membersMax) implements Kind {
        @Override
        public void describe(ObjectNode schema) {
            schema.put("type", "object").put("maxProperties", membersMax);
            schema.putObject("additionalProperties").put("type", "string");
        }

        @Override
        public Optional<String> complaint(JsonNode value) {
            if (!value.isObject() || value.valueStream().anyMatch(member -> !member.isString())) {
                return Optional.of("must be an object whose values are strings");
            }
            return value.size() > membersMax
                    ? Optional.of("has more than " + membersMax + " members")
                    : Optional.empty();
        }
    }
}
