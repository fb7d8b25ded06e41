package dev.capsem.wire.aggregator;

import java.util.Set;

/// The names of the tools that capsem-mcp-builtin offers as the server `local`.
public final class BuiltinTools {
    /// Known to the guest with the server's prefix: `local__fetch_http`.
    public static final Set<String> HTTP = Set.of("fetch_http", "grep_http", "http_headers", "echo");

    /// Known to the guest without any prefix: `file_read`.
    public static final Set<String> FILE = Set.of(
            "file_read",
            "file_write",
            "file_edit",
            "file_delete",
            "file_stat",
            "file_search",
            "dir_list",
            "dir_create",
            "dir_delete",
            "snapshots_changes",
            "snapshots_list",
            "snapshots_revert",
            "snapshots_create",
            "snapshots_delete",
            "snapshots_history",
            "snapshots_compact");

    private BuiltinTools() {}
}
