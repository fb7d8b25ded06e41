package dev.capsem.service.profiles;

import dev.capsem.profiles.EffectiveJson;
import dev.capsem.source.Problem;
import dev.capsem.source.json.JsonValue;
import dev.capsem.wire.json.Json;
import java.util.Collection;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The JSON trees of profiles, as the trees of replies.
public final class ProfileJson {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private ProfileJson() {}

    public static ArrayNode problems(Collection<Problem> problems) {
        ArrayNode all = Json.array();
        problems.forEach(problem -> all.add(problem(problem)));
        return all;
    }

    public static ObjectNode problem(Problem problem) {
        return object(EffectiveJson.problem(problem));
    }

    public static ObjectNode object(JsonValue.Members members) {
        ObjectNode object = Json.object();
        for (Map.Entry<String, JsonValue> member : members.map().entrySet()) {
            object.set(member.getKey(), node(member.getValue()));
        }
        return object;
    }

    private static JsonNode node(JsonValue value) {
        return switch (value) {
            case JsonValue.Members members -> object(members);
            case JsonValue.Items items -> {
                ArrayNode array = Json.array();
                items.list().forEach(item -> array.add(node(item)));
                yield array;
            }
            case JsonValue.Text text -> NODES.stringNode(text.value());
            case JsonValue.Numeral number -> Json.parse(number.spelling());
            case JsonValue.Bool bool -> NODES.booleanNode(bool.value());
            case JsonValue.Null _ -> NODES.nullNode();
        };
    }
}
