package dev.capsem.sandbox;

import java.util.Map;

/// What a later process needs to find and clean up a sandbox: serializable, no secrets.
///
/// @param startTicks the first process's start time from `/proc/<pid>/stat`, so that a reused pid is never
/// mistaken for it
public record SandboxHandle(String driver, long pid, long startTicks, Map<String, String> resources) {
    public SandboxHandle {
        resources = Map.copyOf(resources);
    }
}
