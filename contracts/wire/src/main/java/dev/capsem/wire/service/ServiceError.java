package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The body of every answer that is not a success.
///
/// @param error one sentence for people
/// @param code stable, for programs, for example `sandbox_not_found`
/// @param remedy what to do about it
public record ServiceError(String error, String code, String remedy) {
    /// For an answer that says too little: a newer service, or somebody between us and it.
    private static final ServiceError NO_CAUSE = new ServiceError(
            "the service refused and gave no cause", "no_cause", "look for the cause: `capsem triage`");

    public ObjectNode toJson() {
        return Json.object().put("error", error).put("code", code).put("remedy", remedy);
    }

    public static ServiceError fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        return new ServiceError(
                said(fields, "error").orElse(NO_CAUSE.error),
                said(fields, "code").orElse(NO_CAUSE.code),
                said(fields, "remedy").orElse(NO_CAUSE.remedy));
    }

    private static Optional<String> said(JsonMembers fields, String member) {
        return fields.optionalText(member).filter(text -> !text.isBlank());
    }
}
