package dev.capsem.llm.tool;

import dev.capsem.events.row.ModelInteraction;
import dev.capsem.events.row.ModelRow;
import java.util.List;
import java.util.Set;

/// A tool's name as the model said it, and what it means.
///
/// @param raw with whatever prefix the client put before it
public record ToolName(String raw) {
    /// The prefixes that clients put before the tools of an MCP server called `capsem`.
    private static final List<String> CLIENT_PREFIXES = List.of("mcp__capsem__", "mcp_capsem_", "capsem__");

    /// Between a server's name and its tool's.
    private static final String SEPARATOR = "__";

    private static final String LOCAL_PREFIX = "local" + SEPARATOR;

    private static final Set<String> BUILTINS = Set.of(
            "fetch_http",
            "grep_http",
            "http_headers",
            "snapshots_create",
            "snapshots_list",
            "snapshots_changes",
            "snapshots_history",
            "snapshots_revert",
            "snapshots_delete",
            "snapshots_compact",
            "file_read",
            "file_write",
            "file_edit",
            "file_delete",
            "file_stat",
            "file_search",
            "dir_list",
            "dir_create",
            "dir_delete");

    /// Without the client's prefix: as our endpoint knows it.
    public String bare() {
        for (String prefix : CLIENT_PREFIXES) {
            if (raw.length() > prefix.length() && raw.startsWith(prefix)) {
                return raw.substring(prefix.length());
            }
        }
        return raw;
    }

    /// Without the client's prefix, `__` as `.`.
    public String normalized() {
        return bare().replace(SEPARATOR, ".");
    }

    public ModelRow.ToolOrigin origin() {
        String bare = bare();
        String unqualified = bare.startsWith(LOCAL_PREFIX) ? bare.substring(LOCAL_PREFIX.length()) : bare;
        if (BUILTINS.contains(unqualified)) {
            return ModelRow.ToolOrigin.LOCAL;
        }
        return bare.contains(SEPARATOR) ? ModelRow.ToolOrigin.MCP_PROXY : ModelRow.ToolOrigin.NATIVE;
    }

    /// The same in the words of the normalized tables.
    public ModelInteraction.ToolOrigin interactionOrigin() {
        return switch (origin()) {
            case LOCAL -> ModelInteraction.ToolOrigin.LOCAL_BUILTIN_TOOL;
            case MCP_PROXY -> ModelInteraction.ToolOrigin.MCP_TOOL;
            case NATIVE -> ModelInteraction.ToolOrigin.NATIVE_PROVIDER_TOOL;
        };
    }
}
