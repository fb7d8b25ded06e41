package dev.capsem.toolserver;

import dev.capsem.wire.json.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// The arguments of a tool: what its JSON Schema (2020-12) says is exactly what is checked before it runs.
public record ArgumentSchema(List<Argument> arguments) {
    public ArgumentSchema {
        arguments = List.copyOf(arguments);
    }

    public static ArgumentSchema of(Argument... arguments) {
        return new ArgumentSchema(List.of(arguments));
    }

    /// Why arguments are refused; `code` is `missing_required_argument` or `invalid_arguments`.
    public record Complaint(String code, String cause, String remedy) {}

    public ObjectNode toJson() {
        ObjectNode schema = Json.object().put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        ArrayNode required = Json.array();
        for (Argument argument : arguments) {
            properties.set(argument.name(), argument.toJson());
            if (argument.isRequired()) {
                required.add(argument.name());
            }
        }
        if (!required.isEmpty()) {
            schema.set("required", required);
        }
        return schema.put("additionalProperties", false);
    }

    /// The first thing wrong with what was given. A member that is null counts as not given.
    public Optional<Complaint> check(String tool, ObjectNode given) {
        for (Argument argument : arguments) {
            JsonNode value = given.get(argument.name());
            boolean isAbsent = value == null || value.isNull();
            if (isAbsent && argument.isRequired()) {
                return Optional.of(new Complaint(
                        "missing_required_argument",
                        tool + " needs the argument \"" + argument.name() + "\"",
                        "call it again with \"" + argument.name() + "\": " + argument.description()));
            }
            if (value == null || isAbsent) {
                continue;
            }
            Optional<String> wrong = argument.kind().complaint(value);
            if (wrong.isPresent()) {
                return Optional.of(invalid(tool, "\"" + argument.name() + "\" " + wrong.get()));
            }
        }
        return unknown(given).map(name -> invalid(tool, "there is no argument \"" + name + "\""));
    }

    private Complaint invalid(String tool, String cause) {
        List<String> names = arguments.stream().map(Argument::name).toList();
        return new Complaint(
                "invalid_arguments",
                tool + ": " + cause,
                "send an object that matches the tool's inputSchema"
                        + (names.isEmpty()
                                ? "; it takes no arguments"
                                : "; its arguments are " + String.join(", ", names)));
    }

    private Optional<String> unknown(ObjectNode given) {
        for (Map.Entry<String, JsonNode> member : given.properties()) {
            if (arguments.stream().noneMatch(argument -> argument.name().equals(member.getKey()))) {
                String name = member.getKey();
                return Optional.of(name.length() > 64 ? name.substring(0, 64) + "…" : name);
            }
        }
        return Optional.empty();
    }
}
