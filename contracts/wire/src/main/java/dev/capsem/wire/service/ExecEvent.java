package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// One line of a streamed exec (`Accept: application/x-ndjson`): `started`, any number of `stdout` and `stderr`, then
/// `exit`; or `error` at any point, which ends it.
public sealed interface ExecEvent {
    /// @param sandbox the id, which the caller of `/run` does not know otherwise
    /// @param warnings of `/run`: what is not as asked for in the sandbox that was made
    record Started(String sandbox, long pid, List<String> warnings) implements ExecEvent {
        public Started {
            warnings = List.copyOf(warnings);
        }
    }

    record Stdout(byte[] data) implements ExecEvent {}

    record Stderr(byte[] data) implements ExecEvent {}

    record Exited(
            int exitCode,
            long durationMs,
            long stdoutBytes,
            long stderrBytes,
            boolean timedOut,
            Optional<String> message)
            implements ExecEvent {}

    record Failed(ServiceError error) implements ExecEvent {}

    default ObjectNode toJson() {
        ObjectNode json = Json.object();
        switch (this) {
            case Started started -> {
                json.put("type", "started").put("id", started.sandbox).put("pid", started.pid);
                if (!started.warnings.isEmpty()) {
                    started.warnings.forEach(json.putArray("warnings")::add);
                }
            }
            case Stdout stdout -> putData(json.put("type", "stdout"), stdout.data);
            case Stderr stderr -> putData(json.put("type", "stderr"), stderr.data);
            case Exited exited -> {
                json.put("type", "exit")
                        .put("exit_code", exited.exitCode)
                        .put("duration_ms", exited.durationMs)
                        .put("stdout_bytes", exited.stdoutBytes)
                        .put("stderr_bytes", exited.stderrBytes)
                        .put("timed_out", exited.timedOut);
                exited.message.ifPresent(value -> json.put("message", value));
            }
            case Failed failed -> json.put("type", "error").setAll(failed.error.toJson());
        }
        return json;
    }

    /// Empty for a type that a newer service added.
    static Optional<ExecEvent> fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        return switch (fields.text("type")) {
            case "started" ->
                Optional.of(new Started(
                        fields.optionalText("id").orElse(""), fields.number("pid", 0), fields.texts("warnings")));
            case "stdout" -> Optional.of(new Stdout(data(fields)));
            case "stderr" -> Optional.of(new Stderr(data(fields)));
            case "exit" ->
                Optional.of(new Exited(
                        fields.integer("exit_code"),
                        fields.number("duration_ms", 0),
                        fields.number("stdout_bytes", 0),
                        fields.number("stderr_bytes", 0),
                        fields.flag("timed_out", false),
                        fields.optionalText("message")));
            case "error" -> Optional.of(new Failed(ServiceError.fromJson(node)));
            default -> Optional.empty();
        };
    }

    /// Text when the bytes are valid UTF-8 by themselves, else base64: a reader never loses a byte.
    private static void putData(ObjectNode json, byte[] data) {
        try {
            json.put(
                    "data",
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(data))
                            .toString());
        } catch (CharacterCodingException e) {
            json.put("data", Base64.getEncoder().encodeToString(data)).put("encoding", "base64");
        }
    }

    private static byte[] data(JsonMembers fields) {
        String data = fields.optionalText("data").orElse("");
        return fields.optionalText("encoding").orElse("utf-8").equals("base64")
                ? Base64.getDecoder().decode(data)
                : data.getBytes(StandardCharsets.UTF_8);
    }
}
