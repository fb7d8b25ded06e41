package dev.capsem.sandboxserver.workspaces;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// One state of a workspace.
///
/// @param sandbox where it was taken from
/// @param revertOf the revision whose content this one has again
/// @param hash of the archive
record Revision(
        int number,
        Instant at,
        Optional<String> sandbox,
        Optional<Integer> revertOf,
        String message,
        int files,
        long bytes,
        String hash) {

    ObjectNode toJson() {
        ObjectNode json = Json.object()
                .put("revision", number)
                .put("created_at", at.toString())
                .put("message", message)
                .put("files", files)
                .put("bytes", bytes)
                .put("sha256", hash);
        sandbox.ifPresent(value -> json.put("sandbox", value));
        revertOf.ifPresent(value -> json.put("revert_of", value));
        return json;
    }

    static Revision fromJson(JsonMembers json) {
        return new Revision(
                json.integer("revision"),
                Instant.parse(json.text("created_at")),
                json.optionalText("sandbox"),
                json.optionalInteger("revert_of"),
                json.text("message"),
                json.integer("files"),
                json.number("bytes"),
                json.text("sha256"));
    }
}
