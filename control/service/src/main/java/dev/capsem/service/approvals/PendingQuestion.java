package dev.capsem.service.approvals;

import dev.capsem.wire.SandboxId;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.json.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// A question that waits for a person.
///
/// @param id unique over all sandboxes
/// @param mayBeAlways whether a rule of the person's own could answer it from now on
record PendingQuestion(String id, SandboxId sandbox, ProcessMessage.Question question, boolean mayBeAlways) {
    /// The same question about the same exchange, with where it leads: an answer covers what it shows.
    PendingQuestion leading(String newId, String inside, String rule, Optional<String> covers) {
        ProcessMessage.Question asked = question;
        List<ProcessMessage.Detail> details = new ArrayList<>(asked.details());
        details.add(new ProcessMessage.Detail("leads to", inside));
        return new PendingQuestion(
                newId,
                sandbox,
                new ProcessMessage.Question(
                        asked.id(),
                        asked.eventType(),
                        asked.rule(),
                        Optional.of("it leads to " + inside + ", inside this host or its networks"),
                        asked.subject(),
                        asked.processName(),
                        Optional.of(rule),
                        asked.askedAtMillis(),
                        asked.deadlineMillis(),
                        details,
                        new ProcessMessage.Covers(
                                asked.covers().once(), asked.covers().session(), covers),
                        asked.waits()),
                mayBeAlways);
    }

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
        ArrayNode details = json.putArray("details");
        question.details()
                .forEach(
                        detail -> details.addObject().put("name", detail.name()).put("text", detail.text()));
        ObjectNode covers = json.putObject("covers")
                .put("once", question.covers().once())
                .put("session", question.covers().session());
        question.covers().always().filter(_ -> mayBeAlways).ifPresent(text -> covers.put("always", text));
        return json;
    }
}
