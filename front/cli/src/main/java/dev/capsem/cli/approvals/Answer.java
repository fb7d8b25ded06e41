package dev.capsem.cli.approvals;

import dev.capsem.cli.CliContext;
import dev.capsem.wire.io.ServiceClient;
import dev.capsem.wire.json.Json;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// What a person may answer.
enum Answer {
    ONCE("once"),
    SESSION("session"),
    ALWAYS("always"),
    DENY("");

    private final String scope;

    Answer(String scope) {
        this.scope = scope;
    }

    /// Empty for [#DENY].
    String scope() {
        return scope;
    }

    JsonNode send(CliContext context, String id) {
        ObjectNode body = Json.object().put("decision", this == DENY ? "deny" : "approve");
        if (this != DENY) {
            body.put("scope", scope);
        }
        body.put("by", "cli " + context.environment().getOrDefault("USER", "unknown"));
        return context.service().post("/confirm/" + ServiceClient.encode(id), body);
    }

    /// `approved for this session`
    String told() {
        return switch (this) {
            case ONCE -> "approved, once";
            case SESSION -> "approved for this session";
            case ALWAYS -> "approved, always";
            case DENY -> "denied";
        };
    }
}
