package dev.capsem.sandbox;

import java.util.OptionalLong;

/// Host memory used by the processes of a sandbox, shared pages counted once.
///
/// @param largest the pid of whoever takes most, if there is anybody but the agent
public record MemoryUse(long bytes, OptionalLong largest) {}
