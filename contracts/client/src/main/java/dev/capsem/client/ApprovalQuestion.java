package dev.capsem.client;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Something in a sandbox that waits for a person's answer.
///
/// @param subject one line, such as `GET https://example.org/x`
/// @param scopes for which it may be approved: once, session, always
/// @param details what else an approval covers, such as `query`, `body` or `arguments`, one line each
/// @param covers how far an approval reaches, by scope
public record ApprovalQuestion(
        String id,
        String sandbox,
        String eventType,
        String rule,
        Optional<String> reason,
        String subject,
        Optional<String> processName,
        Instant deadline,
        List<String> scopes,
        List<Detail> details,
        Map<String, String> covers) {
    public record Detail(String name, String text) {}

    public ApprovalQuestion {
        scopes = List.copyOf(scopes);
        details = List.copyOf(details);
        covers = Map.copyOf(covers);
    }

    /// The same with something said before its details.
    public ApprovalQuestion noting(Detail note) {
        List<Detail> more = new ArrayList<>(List.of(note));
        more.addAll(details);
        return new ApprovalQuestion(
                id, sandbox, eventType, rule, reason, subject, processName, deadline, scopes, more, covers);
    }

    public static ApprovalQuestion fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        return new ApprovalQuestion(
                fields.text("id"),
                fields.text("sandbox"),
                fields.optionalText("event_type").orElse(""),
                fields.optionalText("rule").orElse(""),
                fields.optionalText("reason"),
                fields.optionalText("subject").orElse(""),
                fields.optionalText("process_name"),
                instant(fields),
                fields.has("scopes") ? fields.texts("scopes") : List.of("once", "session"),
                fields.objects("details").stream()
                        .map(detail -> new Detail(detail.text("name"), detail.text("text")))
                        .toList(),
                fields.textMap("covers"));
    }

    public ObjectNode toJson() {
        ObjectNode json = Json.object()
                .put("id", id)
                .put("sandbox", sandbox)
                .put("event_type", eventType)
                .put("rule", rule)
                .put("subject", subject)
                .put("deadline", deadline.toString());
        reason.ifPresent(text -> json.put("reason", text));
        processName.ifPresent(text -> json.put("process_name", text));
        ArrayNode offered = json.putArray("scopes");
        scopes.forEach(offered::add);
        ArrayNode shown = json.putArray("details");
        details.forEach(detail -> shown.addObject().put("name", detail.name()).put("text", detail.text()));
        ObjectNode reach = json.putObject("covers");
        covers.forEach(reach::put);
        return json;
    }

    private static Instant instant(JsonMembers fields) {
        try {
            return Instant.parse(fields.text("deadline"));
        } catch (DateTimeParseException malformed) {
            throw fields.expected("deadline", "a time");
        }
    }

    public long secondsLeft(Instant now) {
        return Math.max(0, (deadline.toEpochMilli() - now.toEpochMilli() + 999) / 1_000);
    }
}
