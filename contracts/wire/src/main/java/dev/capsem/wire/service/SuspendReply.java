package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Answer to `POST /suspend/{id}`.
///
/// @param mode `freeze`: processes stay in memory, so it does not survive a reboot; `checkpoint`: saved to disk
public record SuspendReply(String mode) {
    public ObjectNode toJson() {
        return Json.object().put("success", true).put("mode", mode);
    }

    public static SuspendReply fromJson(JsonNode node) {
        return new SuspendReply(JsonMembers.of(node, "").optionalText("mode").orElse(""));
    }
}
