package dev.capsem.service.overlay;

import dev.capsem.security.sigma.DetectionSource;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Sigma rules of the runtime overlay, as their author gave them.
///
/// @param id names the file in session directories
/// @param sigma one or more YAML documents
public record DetectionPack(String id, String packId, String sigma, boolean enabled) {
    private static final String PACK_DEFAULT = "runtime";
    private static final Set<String> MEMBERS = Set.of("id", "pack_id", "sigma", "enabled");

    /// @param id empty if the body names none: then the first rule of the text gives it
    record Draft(Optional<String> id, String packId, String sigma, boolean enabled) {
        DetectionPack named(String fallback) {
            return new DetectionPack(id.orElse(fallback), packId, sigma, enabled);
        }

        DetectionSource source() {
            return new DetectionSource(id.orElse("request"), id, packId, sigma);
        }
    }

    static Draft draft(JsonNode body) {
        JsonMembers json = JsonMembers.of(body, "");
        if (json.has("condition")) {
            throw new ServiceProblem(
                    ServiceProblem.Code.BAD_DETECTION,
                    "a detection is a Sigma rule; one with a CEL condition is not supported",
                    "send {\"sigma\": \"<YAML>\"}; docs/rules.md shows one");
        }
        EnforcementRule.refuseUnknown(body, MEMBERS);
        return new Draft(
                json.optionalText("id").map(EnforcementRule::checkedId),
                EnforcementRule.checkedId(json.optionalText("pack_id").orElse(PACK_DEFAULT)),
                json.text("sigma"),
                json.flag("enabled", true));
    }

    public DetectionSource source() {
        return new DetectionSource(id, Optional.of(id), packId, sigma);
    }

    ObjectNode toJson() {
        return Json.object()
                .put("id", id)
                .put("pack_id", packId)
                .put("sigma", sigma)
                .put("enabled", enabled);
    }
}
