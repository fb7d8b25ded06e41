package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Answer to `POST /apply/{id}`. Nothing is applied when anything is refused.
///
/// @param skipped left out on purpose, which stops nothing else: devices, and what would act on the host by itself
/// @param failed what the disk or a still running guest prevented after the checks had passed
public record ApplyReply(
        List<String> applied, List<PathProblem> refused, List<PathProblem> skipped, List<PathProblem> failed) {
    public ApplyReply {
        applied = List.copyOf(applied);
        refused = List.copyOf(refused);
        skipped = List.copyOf(skipped);
        failed = List.copyOf(failed);
    }

    public record PathProblem(String path, String reason, String remedy) {
        ObjectNode toJson() {
            return Json.object().put("path", path).put("reason", reason).put("remedy", remedy);
        }

        static PathProblem fromJson(JsonMembers fields) {
            return new PathProblem(
                    fields.text("path"),
                    fields.text("reason"),
                    fields.optionalText("remedy").orElse(""));
        }
    }

    public ObjectNode toJson() {
        ObjectNode json = Json.object();
        json.set("applied", ServiceJson.strings(applied));
        json.set("refused", ServiceJson.array(refused, PathProblem::toJson));
        json.set("skipped", ServiceJson.array(skipped, PathProblem::toJson));
        json.set("failed", ServiceJson.array(failed, PathProblem::toJson));
        return json;
    }

    public static ApplyReply fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        return new ApplyReply(
                fields.texts("applied"),
                problems(fields, "refused"),
                problems(fields, "skipped"),
                problems(fields, "failed"));
    }

    private static List<PathProblem> problems(JsonMembers fields, String name) {
        return fields.objects(name).stream().map(PathProblem::fromJson).toList();
    }
}
