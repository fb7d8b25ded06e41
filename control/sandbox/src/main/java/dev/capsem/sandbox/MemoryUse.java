package dev.capsem.sandbox;

import java.util.OptionalLong;

/// What the processes of a sandbox take of the host's memory, shared pages counted once.
///
/// @param largest the pid of whoever takes most, if there is anybody but the agent
public record MemoryUse(long bytes, OptionalLong largest) {}
