package dev.capsem.wire.ipc;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/// What a capsem-process answers.
public sealed interface ProcessMessage {
    record Hello(int version, String schemaHash, String peer, long pid) implements ProcessMessage {}

    record BootStage(String name, Duration took) implements ProcessMessage {}

    /// The sandbox is ready for commands.
    ///
    /// @param handle the driver's serialized handle (text), kept by the service so that a later one can clean up
    record Assigned(long agentPid, String handle) implements ProcessMessage {}

    /// @param sandbox absent while the process is a spare
    /// @param state Running or Suspended
    /// @param counters what /info and /list show, by their JSON names (total_requests, total_file_events, …)
    record Status(
            Optional<String> sandbox, String state, long uptimeMillis, Map<String, Long> counters, long droppedEvents)
            implements ProcessMessage {
        public Status {
            counters = Map.copyOf(counters);
        }
    }

    record Started(long execId, long guestPid) implements ProcessMessage {}

    /// @param stream 1 stdout (or terminal), 2 stderr
    record Output(int stream, byte[] data) implements ProcessMessage {}

    /// @param exitCode as a shell would say it: 128+n for a signal, 124 for our timeout, 127 not found, 126 not
    /// executable
    /// @param stdoutBytes the true size, kept or not
    record Exited(
            int exitCode, Optional<String> message, boolean timedOut, Duration took, long stdoutBytes, long stderrBytes)
            implements ProcessMessage {}

    record Done() implements ProcessMessage {}

    /// @param kind for example `exec`, `file`, `state`
    /// @param json the event as one JSON object
    record Event(String kind, String json) implements ProcessMessage {}

    record Failed(String code, String cause, String remedy) implements ProcessMessage {}
}
