package dev.capsem.service.table;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// A running capsem-process with its sandbox: what a later service needs to adopt it, or to clean up after it. Kept
/// in the session directory as `instance.json` for as long as it lives.
///
/// @param processStartedAt tells the process from a later one with the same pid
/// @param bootId of the host: after a reboot nothing of it can be alive
/// @param handle the driver's, as text; absent until the sandbox is up
public record Instance(
        long pid,
        Instant processStartedAt,
        String bootId,
        Path socket,
        Path runtimeDir,
        Instant startedAt,
        Optional<String> handle) {

    public static final String FILE_NAME = "instance.json";

    public Instance withHandle(String text) {
        return new Instance(pid, processStartedAt, bootId, socket, runtimeDir, startedAt, Optional.of(text));
    }

    public Instance withSocket(Path newSocket) {
        return new Instance(pid, processStartedAt, bootId, newSocket, runtimeDir, startedAt, handle);
    }

    ObjectNode toJson() {
        ObjectNode json = Json.object()
                .put("pid", pid)
                .put("process_started_at_ms", processStartedAt.toEpochMilli())
                .put("boot_id", bootId)
                .put("socket", socket.toString())
                .put("runtime_dir", runtimeDir.toString())
                .put("started_at_ms", startedAt.toEpochMilli());
        handle.ifPresent(value -> json.put("handle", value));
        return json;
    }

    static Instance fromJson(JsonMembers json) {
        return new Instance(
                json.number("pid"),
                Instant.ofEpochMilli(json.number("process_started_at_ms")),
                json.text("boot_id"),
                Path.of(json.text("socket")),
                Path.of(json.text("runtime_dir")),
                Instant.ofEpochMilli(json.number("started_at_ms")),
                json.optionalText("handle"));
    }
}
