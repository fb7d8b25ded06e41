package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `POST /apply/{id}`: bring changes of the sandbox's copy back to the project.
///
/// @param paths relative to the project; empty = all
/// @param force also where the original changed since the sandbox was created
/// @param ignored also files that git ignores
/// @param commits only commits, no files
/// @param branch into a commit on a branch of its own; no file is touched
/// @param as only if `/diff/{id}` with the same paths would answer with this digest
public record ApplyRequest(
        List<String> paths, boolean force, boolean ignored, boolean commits, boolean branch, Optional<String> as) {
    public ApplyRequest {
        paths = List.copyOf(paths);
    }

    public ApplyRequest(List<String> paths, boolean force) {
        this(paths, force, false, false, Optional.empty());
    }

    public ApplyRequest(List<String> paths, boolean force, boolean ignored, boolean commits, Optional<String> as) {
        this(paths, force, ignored, commits, false, as);
    }

    /// Everything, on a branch of its own.
    public static ApplyRequest asBranch() {
        return new ApplyRequest(List.of(), false, false, false, true, Optional.empty());
    }

    public ObjectNode toJson() {
        ObjectNode json = Json.object();
        json.set("paths", ServiceJson.strings(paths));
        as.ifPresent(digest -> json.put("as", digest));
        return json.put("force", force)
                .put("ignored", ignored)
                .put("commits", commits)
                .put("branch", branch);
    }

    public static ApplyRequest fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        return new ApplyRequest(
                fields.texts("paths"),
                fields.flag("force", false),
                fields.flag("ignored", false),
                fields.flag("commits", false),
                fields.flag("branch", false),
                fields.optionalText("as"));
    }
}
