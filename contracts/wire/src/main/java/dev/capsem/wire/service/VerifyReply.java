package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Answer to `GET /verify/{id}`: is the hash chain of the session's events whole?
///
/// @param events how many were checked
/// @param gaps how many times the chain itself admits to a loss
/// @param lost how many events were lost, by event type
/// @param problem where and how the chain breaks, when it does
public record VerifyReply(boolean intact, long events, long gaps, Map<String, Long> lost, Optional<String> problem) {
    public VerifyReply {
        lost = Map.copyOf(lost);
    }

    public long eventsLost() {
        return lost.values().stream().mapToLong(Long::longValue).sum();
    }

    public ObjectNode toJson() {
        ObjectNode json =
                Json.object().put("intact", intact).put("events", events).put("gaps", gaps);
        json.put("events_lost", eventsLost());
        if (!lost.isEmpty()) {
            ObjectNode kinds = json.putObject("lost");
            new TreeMap<>(lost).forEach(kinds::put);
        }
        problem.ifPresent(value -> json.put("problem", value));
        return json;
    }

    public static VerifyReply fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        return new VerifyReply(
                fields.flag("intact", false),
                fields.number("events", 0),
                fields.number("gaps", 0),
                kinds(node.path("lost")),
                fields.optionalText("problem"));
    }

    private static Map<String, Long> kinds(JsonNode lost) {
        Map<String, Long> kinds = new TreeMap<>();
        lost.properties()
                .forEach(kind -> kinds.put(kind.getKey(), kind.getValue().asLong(0)));
        return kinds;
    }
}
