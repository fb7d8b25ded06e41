package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Answer to `GET /logs/{id}`: the agent's console with its boot stages, and capsem-process's own log.
///
/// @param securityLogs the newest security events, one JSON line each
public record LogsReply(String serialLogs, String processLogs, String securityLogs) {
    public LogsReply(String serialLogs, String processLogs) {
        this(serialLogs, processLogs, "");
    }

    public ObjectNode toJson() {
        return Json.object()
                .put("logs", serialLogs)
                .put("serial_logs", serialLogs)
                .put("process_logs", processLogs)
                .put("security_logs", securityLogs);
    }

    public static LogsReply fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        return new LogsReply(
                fields.optionalText("serial_logs").orElse(""),
                fields.optionalText("process_logs").orElse(""),
                fields.optionalText("security_logs").orElse(""));
    }
}
