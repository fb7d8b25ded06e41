package dev.capsem.wire.mcp;

import java.util.List;

/// The versions of MCP that our servers and clients speak.
public final class McpVersions {
    /// Newest first.
    public static final List<String> SUPPORTED = List.of("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05");

    private McpVersions() {}

    public static String latest() {
        return SUPPORTED.getFirst();
    }

    /// The negotiated version: the one that the client asked for if we speak it, otherwise the newest.
    public static String negotiated(String wanted) {
        return SUPPORTED.contains(wanted) ? wanted : latest();
    }
}
