package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Answer to `GET /history/{id}`.
public record HistoryReply(List<Entry> commands, long total, boolean hasMore) {
    public HistoryReply {
        commands = List.copyOf(commands);
    }

    /// How much of what ran is asked for.
    public enum Shown {
        /// Commands of the API alone.
        COMMANDS("&layer=exec"),
        /// And what they started, like processes in one entry.
        FOLDED("&fold=true"),
        /// And every process.
        ALL("");

        private final String query;

        Shown(String query) {
            this.query = query;
        }

        public String query() {
            return query;
        }
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
            ObjectNode json = Json.object()
                    .put("timestamp", timestamp)
                    .put("layer", layer)
                    .put("command", command);
            exitCode.ifPresentOrElse(value -> json.put("exit_code", value), () -> json.putNull("exit_code"));
            durationMs.ifPresentOrElse(value -> json.put("duration_ms", value), () -> json.putNull("duration_ms"));
            json.put("stdout_preview", stdoutPreview).put("stderr_preview", stderrPreview);
            json.set("details", details);
            return json;
        }

        static Entry fromJson(JsonMembers fields) {
            return new Entry(
                    fields.optionalText("timestamp").orElse(""),
                    fields.optionalText("layer").orElse(""),
                    fields.optionalText("command").orElse(""),
                    fields.optionalInteger("exit_code"),
                    ServiceJson.boxed(fields.optionalNumber("duration_ms")),
                    fields.optionalText("stdout_preview").orElse(""),
                    fields.optionalText("stderr_preview").orElse(""),
                    fields.node("details").map(ObjectNode.class::cast).orElseGet(Json::object));
        }
    }

    public ObjectNode toJson() {
        ObjectNode json = Json.object();
        json.set("commands", ServiceJson.array(commands, Entry::toJson));
        return json.put("total", total).put("has_more", hasMore);
    }

    public static HistoryReply fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        return new HistoryReply(
                fields.objects("commands").stream().map(Entry::fromJson).toList(),
                fields.number("total", 0),
                fields.flag("has_more", false));
    }
}
