package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Answer to `GET /diff/{id}?path=…`: what changed in the sandbox's copy of the project, or of the paths named.
///
/// @param project the host directory it is compared with
/// @param unified the unified diff of all text changes
/// @param truncated the diff was longer than the service gives out; the list of changes is complete
public record DiffReply(String project, List<Change> changes, String unified, boolean truncated) {
    public DiffReply {
        changes = List.copyOf(changes);
    }

    /// @param kind `added`, `modified`, `deleted`, `mode`, `type`, `special` or `unreadable`
    /// @param note why the unified diff shows no lines of it: binary, too large, a directory, …
    public record Change(String path, String kind, long insertions, long deletions, Optional<String> note) {
        ObjectNode toJson() {
            ObjectNode json = Json.object()
                    .put("path", path)
                    .put("kind", kind)
                    .put("insertions", insertions)
                    .put("deletions", deletions);
            note.ifPresent(value -> json.put("note", value));
            return json;
        }

        static Change fromJson(JsonMembers fields) {
            return new Change(
                    fields.text("path"),
                    fields.text("kind"),
                    fields.number("insertions", 0),
                    fields.number("deletions", 0),
                    fields.optionalText("note"));
        }
    }

    public ObjectNode toJson() {
        ObjectNode json = Json.object().put("project", project);
        json.set("changes", ServiceJson.array(changes, Change::toJson));
        return json.put("unified", unified).put("truncated", truncated);
    }

    public static DiffReply fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        return new DiffReply(
                fields.optionalText("project").orElse(""),
                fields.objects("changes").stream().map(Change::fromJson).toList(),
                fields.optionalText("unified").orElse(""),
                fields.flag("truncated", false));
    }
}
