package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Answer to `/provision` and `/resume`.
///
/// @param udsPath the sandbox's instance socket; not always `run/instances/<id>.sock`
/// @param mode how it came to run: `warm` (a spare process was ready), `cold`, `thaw` (a suspended one went on),
///     `running` (it already ran)
/// @param warnings what whoever asked for it must be told
/// @param hidden paths of the project that are shown empty inside
public record ProvisionReply(
        String id,
        String udsPath,
        String mode,
        Optional<String> profileId,
        List<String> warnings,
        List<String> hidden) {
    public ProvisionReply {
        warnings = List.copyOf(warnings);
        hidden = List.copyOf(hidden);
    }

    public ProvisionReply(String id, String udsPath, String mode, Optional<String> profileId, List<String> warnings) {
        this(id, udsPath, mode, profileId, warnings, List.of());
    }

    public ObjectNode toJson() {
        ObjectNode json = Json.object().put("id", id).put("uds_path", udsPath).put("mode", mode);
        profileId.ifPresent(value -> json.put("profile_id", value));
        if (!warnings.isEmpty()) {
            warnings.forEach(json.putArray("warnings")::add);
        }
        if (!hidden.isEmpty()) {
            hidden.forEach(json.putArray("hidden")::add);
        }
        return json;
    }

    public static ProvisionReply fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        return new ProvisionReply(
                fields.text("id"),
                fields.optionalText("uds_path").orElse(""),
                fields.optionalText("mode").orElse(""),
                fields.optionalText("profile_id"),
                fields.has("warnings") ? fields.texts("warnings") : List.of(),
                fields.has("hidden") ? fields.texts("hidden") : List.of());
    }
}
