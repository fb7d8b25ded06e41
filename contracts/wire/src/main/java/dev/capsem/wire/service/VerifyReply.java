package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Answer to `GET /verify/{id}`: is the hash chain of the session's events whole?
///
/// @param events how many were checked
/// @param gaps how many dropped events the chain itself admits to
/// @param problem where and how the chain breaks, when it does
public record VerifyReply(boolean intact, long events, long gaps, Optional<String> problem) {
    public ObjectNode toJson() {
        ObjectNode json =
                Json.object().put("intact", intact).put("events", events).put("gaps", gaps);
        problem.ifPresent(value -> json.put("problem", value));
        return json;
    }

    public static VerifyReply fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        return new VerifyReply(
                fields.flag("intact", false),
                fields.number("events", 0),
                fields.number("gaps", 0),
                fields.optionalText("problem"));
    }
}
