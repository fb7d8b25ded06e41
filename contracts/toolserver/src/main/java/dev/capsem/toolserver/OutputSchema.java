package dev.capsem.toolserver;

import dev.capsem.wire.json.Json;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Writes the JSON Schema of an answer. More members than it names may come: answers only ever grow.
public final class OutputSchema {
    private final ObjectNode properties = Json.object();
    private final List<String> always = new ArrayList<>();

    private OutputSchema() {}

    public static OutputSchema object() {
        return new OutputSchema();
    }

    /// @param type `string`, `integer`, `boolean`, `object` or `array`
    public OutputSchema has(String name, String type, String description) {
        always.add(name);
        return mayHave(name, type, description);
    }

    public OutputSchema mayHave(String name, String type, String description) {
        properties.putObject(name).put("type", type).put("description", description);
        return this;
    }

    public OutputSchema hasList(String name, OutputSchema item, String description) {
        always.add(name);
        properties
                .putObject(name)
                .put("type", "array")
                .put("description", description)
                .set("items", item.toJson());
        return this;
    }

    public ObjectNode toJson() {
        ObjectNode schema = Json.object().put("type", "object");
        schema.set("properties", properties.deepCopy());
        if (!always.isEmpty()) {
            ArrayNode required = schema.putArray("required");
            always.forEach(required::add);
        }
        return schema;
    }
}
