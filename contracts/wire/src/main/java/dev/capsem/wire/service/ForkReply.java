package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Answer to `POST /fork/{id}`: a new persistent sandbox, stopped.
public record ForkReply(String name, long sizeBytes) {
    public ObjectNode toJson() {
        return Json.object().put("name", name).put("size_bytes", sizeBytes);
    }

    public static ForkReply fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        return new ForkReply(fields.text("name"), fields.number("size_bytes", 0));
    }
}
