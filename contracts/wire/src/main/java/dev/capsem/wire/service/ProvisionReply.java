package dev.capsem.wire.service;

import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Answer to `/provision` and `/resume`.
///
/// @param udsPath the sandbox's instance socket; not always `run/instances/<id>.sock`
/// @param mode how it came to run: `warm` (a spare process was ready), `cold`, `thaw` (a suspended one went on),
/// `running`
///     (it already ran)
public record ProvisionReply(String id, String udsPath, String mode, Optional<String> profileId) {
    public ObjectNode toJson() {
        ObjectNode json =
                ServiceJson.object().put("id", id).put("uds_path", udsPath).put("mode", mode);
        profileId.ifPresent(value -> json.put("profile_id", value));
        return json;
    }

    public static ProvisionReply fromJson(JsonNode node) {
        Fields fields = Fields.of(node);
        return new ProvisionReply(
                fields.text("id"),
                fields.text("uds_path", ""),
                fields.text("mode", ""),
                fields.optionalText("profile_id"));
    }
}
