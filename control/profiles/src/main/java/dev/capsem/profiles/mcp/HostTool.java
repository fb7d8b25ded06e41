package dev.capsem.profiles.mcp;

/// An AI tool whose settings may name MCP servers.
public enum HostTool {
    CLAUDE_SETTINGS("claude-settings", "claude", ".claude/settings.json", "mcpServers", true),
    CLAUDE("claude", "claude", ".claude.json", "mcpServers", true),
    GEMINI("gemini", "gemini", ".gemini/settings.json", "mcpServers", true),
    CODEX("codex", "codex", ".codex/config.toml", "mcp_servers", false);

    private final String id;
    private final String origin;
    private final String path;
    private final String section;
    private final boolean isJson;

    HostTool(String id, String origin, String path, String section, boolean isJson) {
        this.id = id;
        this.origin = origin;
        this.path = path;
        this.section = section;
        this.isJson = isJson;
    }

    /// How references name these settings.
    public String id() {
        return id;
    }

    /// The word that the aggregator and the API use.
    public String origin() {
        return origin;
    }

    /// Below the person's home.
    public String path() {
        return path;
    }

    /// As people write it.
    public String file() {
        return "~/" + path;
    }

    String section() {
        return section;
    }

    boolean isJson() {
        return isJson;
    }
}
