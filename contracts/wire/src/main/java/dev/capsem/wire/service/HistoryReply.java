package dev.capsem.wire.service;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Answer to `GET /history/{id}`.
public record HistoryReply(List<Entry> commands, long total, boolean hasMore) {
    public HistoryReply {
        commands = List.copyOf(commands);
    }

    /// @param timestamp RFC 3339
    /// @param layer `exec` or `audit`
    /// @param details what else the row holds, by column name
    public record Entry(
            String timestamp,
            String layer,
            String command,
            Optional<Integer> exitCode,
            Optional<Long> durationMs,
            String stdoutPreview,
            String stderrPreview,
            ObjectNode details) {

        ObjectNode toJson() {
            ObjectNode json = ServiceJson.object()
                    .put("timestamp", timestamp)
                    .put("layer", layer)
                    .put("command", command);
            exitCode.ifPresentOrElse(value -> json.put("exit_code", value), () -> json.putNull("exit_code"));
            durationMs.ifPresentOrElse(value -> json.put("duration_ms", value), () -> json.putNull("duration_ms"));
            json.put("stdout_preview", stdoutPreview).put("stderr_preview", stderrPreview);
            json.set("details", details);
            return json;
        }

        static Entry fromJson(JsonNode node) {
            Fields fields = Fields.of(node);
            return new Entry(
                    fields.text("timestamp", ""),
                    fields.text("layer", ""),
                    fields.text("command", ""),
                    fields.optionalInt("exit_code"),
                    fields.optionalInteger("duration_ms"),
                    fields.text("stdout_preview", ""),
                    fields.text("stderr_preview", ""),
                    node.get("details") instanceof ObjectNode details ? details : ServiceJson.object());
        }
    }

    public ObjectNode toJson() {
        ObjectNode json = ServiceJson.object();
        json.set("commands", ServiceJson.array(commands, Entry::toJson));
        return json.put("total", total).put("has_more", hasMore);
    }

    public static HistoryReply fromJson(JsonNode node) {
        Fields fields = Fields.of(node);
        return new HistoryReply(
                fields.list("commands", Entry::fromJson), fields.integer("total", 0), fields.flag("has_more", false));
    }
}
