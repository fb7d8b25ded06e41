package dev.capsem.client.io;

import dev.capsem.client.ApprovalFeed;
import dev.capsem.client.ApprovalQuestion;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// [ApprovalFeed] as the service streams it: server-sent events.
final class ApprovalEventStream implements ApprovalFeed {
    private final LineStream lines;

    ApprovalEventStream(LineStream lines) {
        this.lines = lines;
    }

    @Override
    public Optional<Change> next() {
        String kind = "";
        for (Optional<byte[]> line = lines.next(); line.isPresent(); line = lines.next()) {
            String text = new String(line.get(), StandardCharsets.UTF_8).stripTrailing();
            if (text.startsWith("event:")) {
                kind = text.substring("event:".length()).strip();
            } else if (text.startsWith("data:")) {
                Optional<Change> change = change(kind, text.substring("data:".length()));
                if (change.isPresent()) {
                    return change;
                }
            }
        }
        return Optional.empty();
    }

    /// Empty for what a newer service added, or what does not read.
    static Optional<Change> change(String kind, String data) {
        try {
            JsonNode node = Json.parse(data);
            return switch (kind) {
                case "snapshot" -> Optional.of(new Change.Snapshot(questions(node)));
                case "pending" -> Optional.of(new Change.Asked(ApprovalQuestion.fromJson(node)));
                case "resolved" -> Optional.of(resolved(JsonMembers.of(node, "")));
                default -> Optional.empty();
            };
        } catch (JsonShapeException malformed) {
            return Optional.empty();
        }
    }

    private static List<ApprovalQuestion> questions(JsonNode node) {
        var questions = new ArrayList<ApprovalQuestion>();
        node.path("pending").values().forEach(item -> questions.add(ApprovalQuestion.fromJson(item)));
        return questions;
    }

    private static Change resolved(JsonMembers fields) {
        return new Change.Resolved(
                fields.text("id"),
                fields.optionalText("sandbox").orElse(""),
                fields.text("outcome"),
                fields.optionalText("scope"),
                fields.optionalText("by"));
    }

    @Override
    public void close() {
        lines.close();
    }
}
