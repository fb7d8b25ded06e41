package dev.capsem.wire.log;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// One line of a log: a JSON object with `timestamp`, `level`, `target` (who speaks) and `fields`, of which `message`
/// is the name of what happened or a sentence about it.
public record LogLine(Instant at, String level, String target, ObjectNode fields) {
    private static final Set<String> HEAD =
            Set.of("timestamp", "level", "target", "loggerName", "event", "formattedMessage");

    /// Without a line end.
    public String text() {
        ObjectNode line = Json.object()
                .put("timestamp", at.toString())
                .put("level", level)
                .put("target", target);
        line.set("fields", fields);
        return Json.text(line);
    }

    /// Empty for anything else that stands in a log. Understands also lines whose members are not below `fields`, as
    /// programs behind pipes and logging libraries write them.
    public static Optional<LogLine> parse(String line) {
        if (!line.startsWith("{")) {
            return Optional.empty();
        }
        try {
            JsonNode json = Json.parse(line);
            JsonNode time = json.path("timestamp");
            Instant at =
                    time.isIntegralNumber() ? Instant.ofEpochMilli(time.longValue()) : Instant.parse(time.asString(""));
            String level = json.path("level").asString("INFO").toUpperCase(Locale.ROOT);
            String target = json.path("target").asString(json.path("loggerName").asString(""));
            return Optional.of(new LogLine(
                    at, level, target, json.path("fields") instanceof ObjectNode fields ? fields : flat(json)));
        } catch (JsonShapeException | DateTimeException e) {
            return Optional.empty();
        }
    }

    private static ObjectNode flat(JsonNode json) {
        ObjectNode fields = Json.object()
                .put(
                        "message",
                        json.path("formattedMessage")
                                .asString(json.path("event").asString("")));
        for (var member : json.properties()) {
            if (!HEAD.contains(member.getKey())) {
                fields.set(member.getKey(), member.getValue());
            }
        }
        return fields;
    }

    public String message() {
        return field("message");
    }

    /// Empty when absent.
    public String field(String name) {
        return fields.path(name).asString("");
    }

    public boolean isTrouble() {
        return level.equals("WARN") || level.equals("ERROR");
    }
}
