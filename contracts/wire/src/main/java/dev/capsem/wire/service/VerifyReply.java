package dev.capsem.wire.service;

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
                ServiceJson.object().put("intact", intact).put("events", events).put("gaps", gaps);
        problem.ifPresent(value -> json.put("problem", value));
        return json;
    }

    public static VerifyReply fromJson(JsonNode node) {
        Fields fields = Fields.of(node);
        return new VerifyReply(
                fields.flag("intact", false),
                fields.integer("events", 0),
                fields.integer("gaps", 0),
                fields.optionalText("problem"));
    }
}
