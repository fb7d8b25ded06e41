package dev.capsem.cli.rules;

import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// Why an event was, or would be, decided as it is: the service's answer.
///
/// @param outcome what became of it in the end, for an event that happened: an `ask` may have been approved
/// @param considered the rules that were asked, in that order
record ExplainedDecision(
        Event event,
        String decision,
        Optional<String> outcome,
        Optional<String> rule,
        Optional<String> reason,
        Optional<String> place,
        List<Considered> considered,
        Optional<Suggestion> suggestion) {

    record Event(String type, String subject, Optional<String> at, Optional<String> id) {}

    /// @param match matched, not_matched, missing or almost
    record Considered(String rule, String decision, long priority, String match, String why, Optional<String> place) {}

    /// A rule that was tried and allows the event.
    ///
    /// @param toml empty when no rule of a person's own can
    record Suggestion(String toml, Optional<String> file, Optional<String> note) {}

    ExplainedDecision {
        considered = List.copyOf(considered);
    }

    static ExplainedDecision fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        JsonMembers event = fields.object("event");
        return new ExplainedDecision(
                new Event(
                        event.optionalText("type").orElse(""),
                        event.optionalText("subject").orElse(""),
                        event.optionalText("at"),
                        event.optionalText("event_id")),
                fields.text("decision"),
                fields.optionalText("outcome"),
                fields.optionalText("rule"),
                fields.optionalText("reason"),
                place(fields),
                fields.objects("considered").stream()
                        .map(ExplainedDecision::considered)
                        .toList(),
                fields.optionalObject("suggestion")
                        .map(ExplainedDecision::suggestion)
                        .or(() -> fields.optionalText("not_yours")
                                .map(why -> new Suggestion("", Optional.empty(), Optional.of(why)))));
    }

    private static Considered considered(JsonMembers fields) {
        return new Considered(
                fields.text("rule"),
                fields.optionalText("decision").orElse(""),
                fields.number("priority", 0),
                fields.optionalText("match").orElse(""),
                fields.optionalText("why").orElse(""),
                place(fields));
    }

    private static Suggestion suggestion(JsonMembers fields) {
        return new Suggestion(
                fields.optionalText("toml").orElse(""), fields.optionalText("file"), fields.optionalText("note"));
    }

    private static Optional<String> place(JsonMembers fields) {
        String line = fields.optionalNumber("line").isPresent() ? ":" + fields.number("line") : "";
        return fields.optionalText("file").filter(file -> !file.isEmpty()).map(file -> file + line);
    }
}
