package dev.capsem.wire.service;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Answer to `POST /fork/{id}`: a new persistent sandbox, stopped.
public record ForkReply(String name, long sizeBytes) {
    public ObjectNode toJson() {
        return ServiceJson.object().put("name", name).put("size_bytes", sizeBytes);
    }

    public static ForkReply fromJson(JsonNode node) {
        Fields fields = Fields.of(node);
        return new ForkReply(fields.text("name"), fields.integer("size_bytes", 0));
    }
}
