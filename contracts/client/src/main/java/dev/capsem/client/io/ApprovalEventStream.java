package dev.capsem.client.io;

import dev.capsem.client.ApprovalFeed;
import dev.capsem.client.ApprovalQuestion;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// [ApprovalFeed] as the service streams it: server-sent events.
final class ApprovalEventStream implements ApprovalFeed {
    private final ServerSentEvents events;

    ApprovalEventStream(LineStream lines) {
        this.events = new ServerSentEvents(lines);
    }

    @Override
    public Optional<Change> next() {
        return events.next(ApprovalEventStream::change);
    }

    /// Empty for an event that a newer service added, or that cannot be read.
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
        events.close();
    }
}
