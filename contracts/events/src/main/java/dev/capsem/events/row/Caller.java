package dev.capsem.events.row;

import java.util.Optional;
import java.util.OptionalLong;

/// The process inside the sandbox that acted. The guest says so: good for attribution, never for permission.
public record Caller(Optional<String> processName, OptionalLong pid) {
    public static final Caller UNKNOWN = new Caller(Optional.empty(), OptionalLong.empty());

    void values(RowValues out) {
        out.text(processName);
        out.integer(pid);
    }
}
