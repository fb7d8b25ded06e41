package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Answer to `POST /stop/{id}`.
///
/// @param persistent true: it can be resumed; false: it is gone
public record StopReply(boolean persistent) {
    public ObjectNode toJson() {
        return Json.object().put("success", true).put("persistent", persistent);
    }

    public static StopReply fromJson(JsonNode node) {
        return new StopReply(JsonMembers.of(node, "").flag("persistent", false));
    }
}
