package dev.capsem.wire.ipc;

import dev.capsem.wire.json.JsonShapeException;
import java.util.Arrays;
import java.util.Locale;

/// Why a process did not do what it was asked.
public enum FailureCode {
    /// A message that is no request came first.
    UNEXPECTED_MESSAGE,
    NOT_ASSIGNED,
    ALREADY_ASSIGNED,
    SOCKET_FAILED,
    PORTS_FAILED,
    /// The host lacks what a sandbox needs.
    HOST_UNFIT,
    /// The driver could not start, freeze, copy or end the sandbox.
    DRIVER_FAILED,
    BOOT_FAILED,
    READY_FAILED,
    /// The session's database could not be opened, flushed or moved.
    DATABASE_FAILED,
    NOT_RUNNING,
    /// The sandbox's state does not allow it.
    REFUSED,
    RULES_REFUSED,
    TOOL_NOT_FOUND,
    BLOCKED,
    RECORD_UNAVAILABLE,
    TOO_MANY_EXECS,
    BAD_COMMAND,
    SANDBOX_GONE;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    public String wireName() {
        return wireName;
    }

    /// Both sides are of one build: an unknown name is a broken frame.
    static FailureCode of(String wireName) {
        return Arrays.stream(values())
                .filter(code -> code.wireName.equals(wireName))
                .findFirst()
                .orElseThrow(() -> new JsonShapeException("code is not one of a process"));
    }
}
