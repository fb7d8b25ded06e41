package dev.capsem.policy.review;

import dev.capsem.policy.diagnostic.Location;
import dev.capsem.source.json.JsonValue;
import java.util.Optional;

/// One thing a reviewer should look at, in a form that lint and diff share.
///
/// @param subject what it is about, free of positions, so that the same finding is recognised after lines move
public record ReviewFinding(
        String ruleId, ReviewLevel severity, String text, String subject, String owner, Optional<Location> location) {

    public JsonValue.Members toJson() {
        JsonValue.Builder json = JsonValue.members()
                .put("rule", ruleId)
                .put("severity", severity.word())
                .put("message", text)
                .put("subject", subject)
                .put("owner", owner);
        location.ifPresent(place ->
                json.put("line", place.line()).put("column", place.column()).put("pointer", place.pointer()));
        return json.build();
    }
}
