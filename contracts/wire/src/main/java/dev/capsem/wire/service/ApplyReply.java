package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Answer to `POST /apply/{id}`. Nothing is applied when anything is refused.
public record ApplyReply(List<String> applied, List<Refusal> refused) {
    public ApplyReply {
        applied = List.copyOf(applied);
        refused = List.copyOf(refused);
    }

    public record Refusal(String path, String reason) {
        ObjectNode toJson() {
            return Json.object().put("path", path).put("reason", reason);
        }

        static Refusal fromJson(JsonMembers fields) {
            return new Refusal(fields.text("path"), fields.text("reason"));
        }
    }

    public ObjectNode toJson() {
        ObjectNode json = Json.object();
        json.set("applied", ServiceJson.strings(applied));
        json.set("refused", ServiceJson.array(refused, Refusal::toJson));
        return json;
    }

    public static ApplyReply fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        return new ApplyReply(
                fields.texts("applied"),
                fields.objects("refused").stream().map(Refusal::fromJson).toList());
    }
}
