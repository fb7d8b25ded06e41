package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Answer to `/exec` and `/run` when it is not streamed.
///
/// @param stdout as text; bytes that are not UTF-8 became U+FFFD
/// @param stdoutBytes the true size, kept or not
/// @param truncated some output was not kept
/// @param message why the command could not start, when it could not
/// @param warnings of `/run`: what is not as asked for in the sandbox that was made
public record ExecReply(
        String stdout,
        String stderr,
        int exitCode,
        long durationMs,
        long stdoutBytes,
        long stderrBytes,
        boolean truncated,
        boolean timedOut,
        Optional<String> message,
        List<String> warnings) {
    public ExecReply {
        warnings = List.copyOf(warnings);
    }

    public ObjectNode toJson() {
        ObjectNode json = Json.object()
                .put("stdout", stdout)
                .put("stderr", stderr)
                .put("exit_code", exitCode)
                .put("duration_ms", durationMs)
                .put("stdout_bytes", stdoutBytes)
                .put("stderr_bytes", stderrBytes)
                .put("truncated", truncated)
                .put("timed_out", timedOut);
        message.ifPresent(value -> json.put("message", value));
        if (!warnings.isEmpty()) {
            warnings.forEach(json.putArray("warnings")::add);
        }
        return json;
    }

    public static ExecReply fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        return new ExecReply(
                fields.optionalText("stdout").orElse(""),
                fields.optionalText("stderr").orElse(""),
                fields.integer("exit_code"),
                fields.number("duration_ms", 0),
                fields.number("stdout_bytes", 0),
                fields.number("stderr_bytes", 0),
                fields.flag("truncated", false),
                fields.flag("timed_out", false),
                fields.optionalText("message"),
                fields.texts("warnings"));
    }
}
