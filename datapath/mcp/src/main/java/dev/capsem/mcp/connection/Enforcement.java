package dev.capsem.mcp.connection;

import dev.capsem.events.Admission;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.RuleId;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.jsonrpc.JsonRpcError;
import tools.jackson.databind.node.ObjectNode;

/// Says no in words that a person and an agent can use.
final class Enforcement {
    private Enforcement() {}

    /// @param subject what was stopped, such as `request`
    static JsonRpcError refusal(String subject, Evaluation evaluation) {
        BlockCause cause =
                evaluation.outcome() instanceof Evaluation.Blocked(BlockCause why) ? why : BlockCause.ENGINE_FAILURE;
        String rule = evaluation.rule().map(RuleId::value).orElse("mcp." + cause.wireName());
        ObjectNode data = Json.object();
        data.put("decision", cause == BlockCause.NOT_APPROVED ? "ask" : "block");
        data.put("rule", rule);
        data.put("reason", evaluation.reason().orElse(cause.wireName()));
        data.put("remedy", remedy(cause));
        return JsonRpcError.of(JsonRpcError.INVALID_REQUEST, "MCP " + subject + " blocked by policy: " + rule)
                .with(data);
    }

    /// An action that cannot be put on record is not performed.
    static JsonRpcError unrecorded(Admission.Refused refused) {
        ObjectNode data = Json.object();
        data.put("code", Admission.CODE);
        data.put("decision", "block");
        data.put("reason", refused.reason());
        data.put("remedy", refused.remedy());
        return JsonRpcError.of(JsonRpcError.INTERNAL_ERROR, Admission.CODE + ": " + refused.reason())
                .with(data);
    }

    private static String remedy(BlockCause cause) {
        return switch (cause) {
            case NOT_APPROVED -> "ask the person at the host to approve it, then try again";
            case BODY_TOO_LARGE, BODY_UNREAD, RULE_TOO_COSTLY, INSPECTION_FULL -> "send less at once";
            case TOOL_GONE -> "look at tools/list: the server does not offer it any more";
            case TOOL_CHANGED -> "look at tools/list, then call it again: the person is asked about what it is now";
            case SERVER_AWAY -> "try again when the server is back; a person sees why it is not with `capsem mcp list`";
            case NO_RULES, RULE_FAILED, REWRITE_FAILED, ENGINE_FAILURE ->
                "a person must look at the sandbox's rules and logs";
            default -> "do not retry it unchanged; a person can allow it with a rule in the profile";
        };
    }
}
