package dev.capsem.mcp.method;

import java.util.List;

/// The revisions of MCP that we speak with guests.
public final class Versions {
    public static final String LATEST = "2025-11-25";
    public static final List<String> SUPPORTED = List.of("2024-11-05", "2025-03-26", "2025-06-18", LATEST);

    private Versions() {}

    /// The one asked for if we speak it, else our newest: the client may then leave.
    public static String negotiate(String requested) {
        return SUPPORTED.contains(requested) ? requested : LATEST;
    }
}
