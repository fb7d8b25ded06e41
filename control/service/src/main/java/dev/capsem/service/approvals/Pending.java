package dev.capsem.service.approvals;

import dev.capsem.wire.SandboxId;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.json.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// A question that waits for a person.
///
/// @param id unique over all sandboxes
/// @param mayBeAlways whether a rule of the person's own could answer it from now on
record Pending(String id, SandboxId sandbox, ProcessMessage.Question question, boolean mayBeAlways) {
    Instant deadline() {
        return Instant.ofEpochMilli(question.deadlineMillis());
    }

    ObjectNode toJson() {
        ObjectNode json = Json.object()
                .put("id", id)
                .put("sandbox", sandbox.value())
                .put("event_type", question.eventType())
                .put("rule", question.rule());
        question.reason().ifPresent(reason -> json.put("reason", reason));
        json.put("subject", question.subject());
        question.processName().ifPresent(name -> json.put("process_name", name));
        question.suggestion().ifPresent(toml -> json.put("suggestion", toml));
        json.put("asked_at", Instant.ofEpochMilli(question.askedAtMillis()).toString())
                .put("deadline", deadline().toString());
        List<String> scopes = new ArrayList<>(List.of("once", "session"));
        if (mayBeAlways) {
            scopes.add("always");
        }
        ArrayNode all = json.putArray("scopes");
        scopes.forEach(all::add);
        return json;
    }
}
