package dev.capsem.events.row;

import dev.capsem.events.security.ClaimedCaller;
import java.util.Optional;
import java.util.OptionalLong;

/// The process inside the sandbox that acted. The guest says so: good for attribution, never for permission.
///
/// @param path of its executable; rules see it, rows do not keep it
public record Caller(Optional<String> processName, OptionalLong pid, Optional<String> path) {
    public static final Caller UNKNOWN = new Caller(Optional.empty(), OptionalLong.empty());

    public Caller(Optional<String> processName, OptionalLong pid) {
        this(processName, pid, Optional.empty());
    }

    /// As rules see it.
    public ClaimedCaller claim() {
        return new ClaimedCaller(processName, path);
    }

    void values(RowValues out) {
        out.text(processName);
        out.integer(pid);
    }
}
