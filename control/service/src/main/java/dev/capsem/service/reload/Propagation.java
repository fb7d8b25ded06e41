package dev.capsem.service.reload;

import dev.capsem.service.profiles.ProfileJson;
import dev.capsem.source.Problem;
import dev.capsem.wire.json.Json;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// The result of telling the running sandboxes.
///
/// @param targets how many there were to tell
/// @param failures those that keep what they had
/// @param problems of profile files that were not taken over
/// @param held those of them for which a profile that somebody uses stays an older one
public record Propagation(int targets, List<Failure> failures, List<Problem> problems, List<Problem> held) {
    public record Failure(String sandbox, String message) {}

    public Propagation {
        failures = List.copyOf(failures);
        problems = List.copyOf(problems);
        held = List.copyOf(held);
    }

    /// Errors in unused profiles are reported but do not fail the reload.
    public boolean isSuccess() {
        return failures.isEmpty() && held.stream().noneMatch(Problem::isError);
    }

    /// The reply of `POST /reload-config`.
    public ObjectNode reloadReply() {
        ObjectNode json = Json.object().put("success", isSuccess()).put("reloaded", targets - failures.size());
        addFailures(json);
        if (isSuccess()) {
            json.putNull("message");
        } else {
            json.put("message", message());
        }
        json.set("problems", ProfileJson.problems(problems));
        return json;
    }

    private String message() {
        String files = problems.stream()
                .filter(Problem::isError)
                .map(Problem::toString)
                .collect(Collectors.joining("\n"));
        String sandboxes = failures.isEmpty()
                ? ""
                : failures.size() + " of " + targets + " sandboxes keep the rules they had: "
                        + failures.stream().map(Failure::sandbox).collect(Collectors.joining(", "));
        return files.isEmpty() || sandboxes.isEmpty() ? files + sandboxes : files + "\n" + sandboxes;
    }

    /// The `propagation` of replies that change runtime rules.
    public ObjectNode toJson() {
        ObjectNode json = Json.object().put("target_count", targets);
        addFailures(json);
        return json;
    }

    private void addFailures(ObjectNode json) {
        json.put("failed_session_count", failures.size());
        ArrayNode ids = json.putArray("failed_session_ids");
        ArrayNode all = json.putArray("failures");
        failures.forEach(failure -> {
            ids.add(failure.sandbox());
            all.addObject().put("session_id", failure.sandbox()).put("message", failure.message());
        });
    }
}
