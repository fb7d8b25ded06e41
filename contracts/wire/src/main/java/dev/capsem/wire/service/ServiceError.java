package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The body of every answer that is not a success.
///
/// @param error one sentence for people
/// @param code stable, for programs, for example `sandbox_not_found`
/// @param remedy what to do about it
public record ServiceError(String error, String code, String remedy) {
    public ObjectNode toJson() {
        return Json.object().put("error", error).put("code", code).put("remedy", remedy);
    }

    public static ServiceError fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        return new ServiceError(
                fields.optionalText("error").orElse(""),
                fields.optionalText("code").orElse("unknown"),
                fields.optionalText("remedy").orElse(""));
    }
}
