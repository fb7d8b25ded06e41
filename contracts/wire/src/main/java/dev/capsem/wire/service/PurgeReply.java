package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Answer to `POST /purge`.
public record PurgeReply(int persistentPurged, int ephemeralPurged) {
    public ObjectNode toJson() {
        return Json.object()
                .put("purged", persistentPurged + ephemeralPurged)
                .put("persistent_purged", persistentPurged)
                .put("ephemeral_purged", ephemeralPurged);
    }

    public static PurgeReply fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        return new PurgeReply(fields.integer("persistent_purged"), fields.integer("ephemeral_purged"));
    }
}
