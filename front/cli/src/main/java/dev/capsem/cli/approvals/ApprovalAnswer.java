package dev.capsem.cli.approvals;

import dev.capsem.cli.command.CliContext;
import dev.capsem.client.io.ServiceClient;
import dev.capsem.wire.json.Json;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The answers that a person can give.
enum ApprovalAnswer {
    ONCE("once"),
    SESSION("session"),
    ALWAYS("always"),
    DENY("");

    private final String scope;

    ApprovalAnswer(String scope) {
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
        Map<String, String> environment = context.environment();
        String user = environment.getOrDefault("USER", environment.getOrDefault("LOGNAME", ""));
        body.put("by", ("cli " + user).strip());
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
