package dev.capsem.service.rules;

import dev.capsem.security.condition.Gaps;
import dev.capsem.service.rules.RecordedEvents.Told;
import dev.capsem.wire.aggregator.Namespace;
import dev.capsem.wire.aggregator.ServerDefinition;
import dev.capsem.wire.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// MCP messages, as `mcp_calls` tells of them.
final class RecordedMcp {
    /// The methods whose arguments are a member of their params; of the others they are all of the params.
    private static final Set<String> NAMED = Set.of("tools/call", "prompts/get");

    /// What stands in the record for the arguments of a call that was refused.
    private static final String REDACTED = "redacted_by_policy";

    private static final List<String> ARGUMENTS =
            List.of("mcp.request.arguments", "mcp.request.arguments_text", "mcp.request.meta");

    private RecordedMcp() {}

    static Told request(ObjectNode row, List<String> changes) {
        ObjectNode out = Json.object();
        return new Told(out, addRequest(out, row, changes));
    }

    static Told response(ObjectNode row, List<String> changes) {
        ObjectNode out = Json.object();
        List<String> unknown = new ArrayList<>();
        Optional<JsonNode> content = isChanged(changes, "mcp.response.")
                ? Optional.empty()
                : RecordedText.json(row.path("response_preview").asString(""));
        boolean isWithheld = row.path("decision").asString().equals("denied");
        boolean isError = row.has("error_message")
                || content.map(result -> result.path("isError").asBoolean(false))
                        .orElse(false);
        ObjectNode response = out.putObject("response").put("is_error", isError);
        content.ifPresentOrElse(result -> response.set("content", result), () -> unknown.add("mcp.response.content"));
        if (isWithheld || (content.isEmpty() && !isError)) {
            unknown.addAll(List.of("mcp.response.is_error", "mcp.response.result_status"));
        }
        return new Told(out, addRequest(out, row, changes).with(unknown));
    }

    private static Gaps addRequest(ObjectNode out, ObjectNode row, List<String> changes) {
        ObjectNode request = out.putObject("request");
        String server = row.path("server_name").asString();
        String method = row.path("method").asString();
        request.put("server_name", server).put("method", method);
        if (row.has("tool_name")) {
            String whole = row.path("tool_name").asString();
            request.put("namespaced_name", whole);
            if (method.equals("tools/call")) {
                request.put("tool_name", withoutServer(whole, server));
            }
        }
        String preview = row.path("request_preview").asString("");
        Optional<JsonNode> params = RecordedText.json(preview);
        boolean isGone = (params.isEmpty() && !preview.isEmpty())
                || params.filter(sent -> sent.path("arguments").has(REDACTED)).isPresent()
                || isChanged(changes, "mcp.request.");
        Optional<JsonNode> arguments = params.flatMap(sent -> arguments(method, sent));
        if (!isGone) {
            arguments.ifPresent(value -> request.set("arguments", value));
            params.flatMap(RecordedMcp::meta).ifPresent(value -> request.set("meta", value));
            return Gaps.NONE;
        }
        List<String> unknown = new ArrayList<>(ARGUMENTS);
        unknown.add("mcp.request.arguments_status");
        return Gaps.at(unknown);
    }

    private static Optional<JsonNode> arguments(String method, JsonNode params) {
        if (NAMED.contains(method)) {
            return Optional.ofNullable(params.get("arguments"));
        }
        if (!(params.deepCopy() instanceof ObjectNode rest)) {
            return Optional.empty();
        }
        rest.remove("_meta");
        return rest.isEmpty() ? Optional.empty() : Optional.of(rest);
    }

    /// The token of progress is the client's own and goes to nobody.
    private static Optional<JsonNode> meta(JsonNode params) {
        if (!(params.path("_meta").deepCopy() instanceof ObjectNode rest)) {
            return Optional.empty();
        }
        rest.remove("progressToken");
        return rest.isEmpty() ? Optional.empty() : Optional.of(rest);
    }

    private static String withoutServer(String whole, String server) {
        for (String prefix : List.of(server, ServerDefinition.LOCAL)) {
            if (whole.startsWith(prefix + Namespace.SEPARATOR)) {
                return whole.substring(prefix.length() + Namespace.SEPARATOR.length());
            }
        }
        return whole;
    }

    private static boolean isChanged(List<String> changes, String prefix) {
        return changes.stream().anyMatch(change -> change.contains(prefix));
    }
}
