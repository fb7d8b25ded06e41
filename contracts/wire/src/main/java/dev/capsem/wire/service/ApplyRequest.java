package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `POST /apply/{id}`: bring changes of the sandbox's copy back to the project.
///
/// @param paths relative to the project; empty = all
/// @param force also where the original changed since the sandbox was created
public record ApplyRequest(List<String> paths, boolean force) {
    public ApplyRequest {
        paths = List.copyOf(paths);
    }

    public ObjectNode toJson() {
        ObjectNode json = Json.object();
        json.set("paths", ServiceJson.strings(paths));
        return json.put("force", force);
    }

    public static ApplyRequest fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        return new ApplyRequest(fields.texts("paths"), fields.flag("force", false));
    }
}
