package dev.capsem.wire.service;

import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Answer to `GET /diff/{id}`: what changed in the sandbox's copy of the project.
///
/// @param project the host directory it is compared with
/// @param unified the unified diff of all text changes
/// @param truncated the diff was longer than the service gives out; the list of changes is complete
public record DiffReply(String project, List<Change> changes, String unified, boolean truncated) {
    public DiffReply {
        changes = List.copyOf(changes);
    }

    /// @param kind `added`, `modified`, `deleted` or `mode`
    /// @param binary not shown in the unified diff
    public record Change(String path, String kind, long insertions, long deletions, boolean binary) {
        ObjectNode toJson() {
            return ServiceJson.object()
                    .put("path", path)
                    .put("kind", kind)
                    .put("insertions", insertions)
                    .put("deletions", deletions)
                    .put("binary", binary);
        }

        static Change fromJson(JsonNode node) {
            Fields fields = Fields.of(node);
            return new Change(
                    fields.text("path"),
                    fields.text("kind"),
                    fields.integer("insertions", 0),
                    fields.integer("deletions", 0),
                    fields.flag("binary", false));
        }
    }

    public ObjectNode toJson() {
        ObjectNode json = ServiceJson.object().put("project", project);
        json.set("changes", ServiceJson.array(changes, Change::toJson));
        return json.put("unified", unified).put("truncated", truncated);
    }

    public static DiffReply fromJson(JsonNode node) {
        Fields fields = Fields.of(node);
        return new DiffReply(
                fields.text("project", ""),
                fields.list("changes", Change::fromJson),
                fields.text("unified", ""),
                fields.flag("truncated", false));
    }
}
