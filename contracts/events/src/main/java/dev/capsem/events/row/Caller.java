package dev.capsem.events.row;

import java.util.Optional;
import java.util.OptionalLong;

/// The process inside the sandbox that acted. The guest says so: good for attribution, never for permission.
///
/// @param path of its executable; rules see it, rows do not keep it
/// @param script that it runs, if it is an interpreter; likewise
public record Caller(Optional<String> processName, OptionalLong pid, Optional<String> path, Optional<String> script) {
    public static final Caller UNKNOWN = new Caller(Optional.empty(), OptionalLong.empty());

    public Caller(Optional<String> processName, OptionalLong pid) {
        this(processName, pid, Optional.empty(), Optional.empty());
    }

    /// As rules see it.
    public ClaimedCaller claim() {
        return new ClaimedCaller(processName, path, script);
    }

    void values(RowValues out) {
        out.text(processName);
        out.integer(pid);
    }
}
