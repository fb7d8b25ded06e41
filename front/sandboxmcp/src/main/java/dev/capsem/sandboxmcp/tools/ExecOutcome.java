package dev.capsem.sandboxmcp.tools;

/// How a command ended.
record ExecOutcome(int exitCode, String stdout, String stderr, boolean timedOut) {}
