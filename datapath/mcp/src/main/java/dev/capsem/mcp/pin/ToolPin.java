package dev.capsem.mcp.pin;

import dev.capsem.wire.json.Json;
import java.time.Instant;
import tools.jackson.databind.node.ObjectNode;

/// One tool as it was last seen.
///
/// @param key `server__tool`
/// @param hash of everything that decides what the tool claims to be
/// @param definition what was hashed, in canonical order, for a readable diff; not to be changed
/// @param isApproved whether a person agreed to exactly this, or it was there from the start
/// @param isListed whether the server still offers it; kept when not, lest it come back changed
public record ToolPin(
        String key,
        String server,
        String tool,
        String hash,
        ObjectNode definition,
        Instant firstSeen,
        Instant lastSeen,
        boolean isApproved,
        boolean isListed) {
    ToolPin approved() {
        return new ToolPin(key, server, tool, hash, definition, firstSeen, lastSeen, true, isListed);
    }

    ToolPin gone() {
        return new ToolPin(key, server, tool, hash, definition, firstSeen, lastSeen, isApproved, false);
    }

    /// The same words under another name.
    boolean isTwinOf(ToolPin other) {
        return server.equals(other.server) && withoutName().equals(other.withoutName());
    }

    private ObjectNode withoutName() {
        ObjectNode rest = definition.deepCopy();
        rest.remove("name");
        return rest;
    }

    ObjectNode toJson() {
        ObjectNode json = Json.object()
                .put("namespaced_name", key)
                .put("original_name", tool)
                .put("server_name", server)
                .put("pin_hash", hash)
                .put("first_seen", firstSeen.toString())
                .put("last_seen", lastSeen.toString())
                .put("approved", isApproved)
                .put("listed", isListed);
        json.set("definition", definition);
        return json;
    }
}
