package dev.capsem.wire.service;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Answer to `GET /logs/{id}`: the agent's console with its boot stages, and capsem-process's own log.
public record LogsReply(String serialLogs, String processLogs) {
    public ObjectNode toJson() {
        return ServiceJson.object()
                .put("logs", serialLogs)
                .put("serial_logs", serialLogs)
                .put("process_logs", processLogs);
    }

    public static LogsReply fromJson(JsonNode node) {
        Fields fields = Fields.of(node);
        return new LogsReply(fields.text("serial_logs", ""), fields.text("process_logs", ""));
    }
}
