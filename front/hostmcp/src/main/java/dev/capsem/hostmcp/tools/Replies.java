package dev.capsem.hostmcp.tools;

import dev.capsem.client.io.ServiceCallException;
import dev.capsem.toolserver.ToolAnswer;
import dev.capsem.toolserver.ToolFailure;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.ServiceError;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// How answers and refusals of the service are put to a model.
final class Replies {
    private static final Map<Integer, String> STATUS = Map.ofEntries(
            Map.entry(400, "Bad Request"),
            Map.entry(401, "Unauthorized"),
            Map.entry(403, "Forbidden"),
            Map.entry(404, "Not Found"),
            Map.entry(405, "Method Not Allowed"),
            Map.entry(409, "Conflict"),
            Map.entry(413, "Content Too Large"),
            Map.entry(415, "Unsupported Media Type"),
            Map.entry(422, "Unprocessable Content"),
            Map.entry(429, "Too Many Requests"),
            Map.entry(500, "Internal Server Error"),
            Map.entry(503, "Service Unavailable"));

    private Replies() {}

    /// The reply as indented JSON, and as data.
    static ToolAnswer json(JsonNode reply) {
        if (reply.path("error").isString()) {
            throw refused(200, ServiceError.fromJson(reply));
        }
        ObjectNode structured = reply instanceof ObjectNode object ? object : wrapped(reply);
        return ToolAnswer.of(Json.pretty(reply), structured);
    }

    private static ObjectNode wrapped(JsonNode reply) {
        ObjectNode object = Json.object();
        object.set("value", reply);
        return object;
    }

    static ToolAnswer text(String text) {
        return ToolAnswer.of(text, Json.object().put("text", text));
    }

    static ToolFailure refused(ServiceCallException e) {
        return refused(e.status(), e.error());
    }

    static ToolFailure refused(int status, ServiceError error) {
        String name = STATUS.getOrDefault(status, "");
        String head = status == ServiceCallException.NO_ANSWER || status == 200
                ? ""
                : status + (name.isEmpty() ? "" : " " + name) + ": ";
        String remedy = error.remedy().isEmpty() ? "look at capsem_triage for what went wrong" : error.remedy();
        return new ToolFailure(error.code(), head + error.error(), remedy);
    }

    /// Cause first, then what a program or a model can act on.
    static ToolAnswer failed(ToolFailure failure) {
        return ToolAnswer.failed(
                failure.reason() + "\ncode: " + failure.code() + "\nremedy: " + failure.remedy(),
                Json.object()
                        .put("code", failure.code())
                        .put("cause", failure.reason())
                        .put("remedy", failure.remedy()));
    }
}
