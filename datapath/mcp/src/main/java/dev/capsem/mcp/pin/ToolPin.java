package dev.capsem.mcp.pin;

import dev.capsem.wire.aggregator.AggregatorReply;
import dev.capsem.wire.aggregator.CatalogEntry;
import dev.capsem.wire.aggregator.Namespace;
import dev.capsem.wire.json.Json;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// One tool as it was last seen.
///
/// @param key `server__tool`
/// @param hash of everything that decides what the tool claims to be
/// @param definition what was hashed, in canonical order, for a readable diff; not to be changed
/// @param agreed what a person last agreed to, or what was there from the start; not to be changed
/// @param isListed whether the server still offers it; kept when not, lest it come back changed
public record ToolPin(
        String key,
        String server,
        String tool,
        String hash,
        ObjectNode definition,
        Instant firstSeen,
        Instant lastSeen,
        Optional<ObjectNode> agreed,
        boolean isListed) {
    /// How a tool stands with the person who answers for it.
    public enum State {
        APPROVED,
        NEW,
        CHANGED,
        REMOVED
    }

    /// Says that a server was met when it had no tools.
    static ToolPin ofServerAlone(String server, String hash, Instant now) {
        return new ToolPin(
                Namespace.name(server, ""), server, "", hash, Json.object(), now, now, Optional.empty(), false);
    }

    boolean isOfServerAlone() {
        return tool.isEmpty();
    }

    public State state() {
        if (!isListed) {
            return State.REMOVED;
        }
        return isApproved() ? State.APPROVED : agreed.isPresent() ? State.CHANGED : State.NEW;
    }

    /// Whether a person agreed to exactly this.
    public boolean isApproved() {
        return agreed.isPresent() && agreed.get().equals(definition);
    }

    ToolPin approved() {
        return new ToolPin(key, server, tool, hash, definition, firstSeen, lastSeen, Optional.of(definition), isListed);
    }

    ToolPin gone() {
        return new ToolPin(key, server, tool, hash, definition, firstSeen, lastSeen, agreed, false);
    }

    /// All but the name: one that has them is the same under another name.
    ///
    /// @param definition not to be changed
    record Words(String server, ObjectNode definition) {}

    Words words() {
        return new Words(server, withoutName());
    }

    CatalogEntry entry() {
        return new CatalogEntry(AggregatorReply.Kind.TOOLS, server, key, tool, definition);
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
                .put("approved", isApproved())
                .put("listed", isListed);
        json.set("definition", definition);
        if (agreed.isPresent() && !isApproved()) {
            json.set("approved_definition", agreed.get());
        }
        return json;
    }
}
